# SPDX-License-Identifier: GPL-2.0-only
"""All derived events, their fields, and the order of events of the same time."""
import copy

from reference import calls, cpus, devices, quotas, scheduler
from reference.scheduler import TICK, in_ns


class InOrder:
    """Events of the same time have an order: here each has a time of its own, a small part of a nanosecond after that of the one before."""

    def __init__(self):
        self.events, self.spread = None, []

    def of(self, events):
        if events is not self.events:  # the models are asked one after the other about the same events
            self.events, self.spread = events, [copy.copy(e) for e in events]
            for i, e in enumerate(self.spread):
                e.ts, e.of = e.ts * TICK + i, events[i]
        return self.spread


def in_order(model, order, *more):
    def exact(events):
        for e, fields in model(order.of(events), *more):
            fields = {f: in_ns(v) if f == "ns" or f.endswith("_ns") else v for f, v in fields.items()}
            if fields["ns"] or model not in (scheduler.delay, scheduler.held, scheduler.runqueue, scheduler.live_runqueue):
                yield e.of, fields
    return exact


def models(shape, tasks=None):
    """{name: function of events that yields (event that ends it, fields)}; @tasks: with what is known of their cgroups."""
    def syscall(events):
        return calls.syscall(events, calls.names_of_calls(shape))

    timed = (scheduler.wait, scheduler.task_state, cpus.irq, scheduler.delay, scheduler.held, scheduler.runqueue, syscall, cpus.softirq_wait,
             devices.lock_wait, devices.block_io, calls.slice)
    order = InOrder()
    found = {model.__name__: in_order(model, order) for model in timed}
    if tasks:
        found.update({model.__name__: in_order(model, order, tasks) for model in (scheduler.wait, scheduler.delay, scheduler.held)})
        found["throttle"] = lambda events: quotas.throttle(events, tasks)
    return found | dict(counter=devices.counter, function=calls.function, allocation=devices.allocation)


def live_depths(events):
    """derived:runqueue while events are recorded."""
    return in_order(scheduler.live_runqueue, InOrder())(events)


FIELDS = {
    "wait": "pid comm:text prio kind:text ns cpu migrated other_idle_ns reason:text waker_pid waker_comm:text in_irq idle_cpu",
    "task_state": "pid comm:text prio cpu state:text ns next_state:text waker_pid waker_comm:text in_irq",
    "irq": "pid comm:text kind:text name:text ns self_ns cpu",
    "delay": "victim_pid victim_comm:text culprit_pid culprit_comm:text ns cpu kind:text "
             "culprit_kind:text preemptions culprit_prio victim_prio inverted reason:text culprit_cgroup:text",
    "held": "pid comm:text by:text ns ended_ns cpu",
    "throttle": "id cgroup:text by:text cpu ns quota_ns periods",
    "runqueue": "cpu depth ns depth_ns",
    "syscall": "pid comm:text id name:text ret ns cpu running_ns waiting_ns sleeping_ns irq_ns unknown_ns",
    "softirq_wait": "name:text ns raises cpu pid comm:text",
    "lock_wait": "lock:hex kind:text ns ret pid comm:text cpu prio owner_pid owner_comm:text owner_prio inverted",
    "block_io": "dev:text op:text flags:text sector bytes ns queued_ns device_ns error pid comm:text rwbs:text",
    "allocation": "ptr:hex call_site:hex bytes_req bytes_alloc ns pid comm:text cpu",
    "counter": "name:text value track:text pid tgid comm:text cpu",
    "function": "func:hex depth ns self_ns pid comm:text cpu",
    "slice": "name:text depth ns self_ns pid tgid comm:text running_ns waiting_ns sleeping_ns irq_ns unknown_ns",
}
SIGNED = {"pid", "prio", "victim_prio", "inverted", "depth", "victim_pid", "culprit_pid", "waker_pid", "tgid", "id", "ret", "error", "value",
          "migrated", "in_irq", "idle_cpu", "owner_pid", "owner_prio", "culprit_prio"}


def types_of(name):
    return {field.partition(":")[0]: "text" if field.endswith(":text") else "int" for field in FIELDS[name].split() + ["open:text"]}
