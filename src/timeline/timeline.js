/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Timelines: draws the lanes of a page from its data, at any zoom. What is narrower than a pixel is drawn
 * as shares of the pixel's time, so a frame takes as long as there are spans in view, at most.
 */
(function () {
'use strict';
var NAMES = 7, KINDS = 12, RUNS = 7, WAITS = 8, SLEEPS = 9, DISK = 10, STOPPED = 11, TOP = 24, MAX_ROWS = 12, EARLIER = 4294967295;
var STATES = { running: RUNS, woken: WAITS, preempted: WAITS, new: WAITS, yielded: WAITS, disk: DISK, stopped: STOPPED, traced: STOPPED };
var HELP = 'Drag or \u2190 \u2192: move \u00b7 + \u2212, Ctrl and wheel, double click: zoom \u00b7 0: all \u00b7 \u2191 \u2193: lane \u00b7 [ ]: span \u00b7 /: search, Enter: next hit \u00b7 Esc: nothing';

function make(tag, parent, text, name) {
	var e = document.createElement(tag);
	if (text !== undefined && text !== null)
		e.textContent = text;
	if (name)
		e.className = name;
	if (parent)
		parent.appendChild(e);
	return e;
}

/* The same as in timeline_picture.c. */
function name_kind(name) {
	var sum = 0, bytes = new TextEncoder().encode(name);
	for (var i = 0; i < bytes.length; i++)
		sum = (sum * 31 + bytes[i]) % 65521;
	return sum % NAMES;
}

/* "1.234 ms" */
function duration(ns) {
	var units = [['s', 1e9], ['ms', 1e6], ['us', 1e3], ['ns', 1]], i = 0;
	while (i < 3 && ns < units[i][1])
		i++;
	return Number((ns / units[i][1]).toPrecision(4)) + ' ' + units[i][0];
}

function group_digits(n) { return String(n).replace(/\B(?=(\d{3})+(?!\d))/g, ','); }

/* The first index in ascending numbers whose number is above @v. */
function above(numbers, v) {
	var low = 0, high = numbers.length;
	while (low < high) {
		var mid = (low + high) >> 1;
		if (numbers[mid] > v)
			high = mid;
		else
			low = mid + 1;
	}
	return low;
}

/* --- the data --- */

function read_lane(data, from, index) {
	var view = data.views[from.view], stride = 3 + view.fields.length, n = from.spans.length / stride, at = 0, end = 0, ends = [];
	var lane = { index: index, view: view, look: view.look, owner: from.owner, sub: from.sub, of: from.of, n: from.n, ns: from.ns, cut: from.cut || 0, since: from.since || 0,
		stride: stride, raw: from.spans, title: (from.owner + ' ' + from.sub).trim(), rows: 1, largest: 0,
		from: new Float64Array(n), length: new Float64Array(n), end: new Float64Array(n), name: new Int32Array(n), row: new Uint8Array(n), bins: [], early: [], bin_at: null };
	for (var i = 0; i < n; i++) {
		at += from.spans[i * stride];
		lane.from[i] = at;
		lane.length[i] = from.spans[i * stride + 1];
		lane.name[i] = from.spans[i * stride + 2];
		end = Math.max(end, at + lane.length[i]);
		lane.end[i] = end; /* of all until here */
		for (var r = 0; lane.look === 'rows' && r < MAX_ROWS; r++) {
			if (r < MAX_ROWS - 1 && ends[r] > at)
				continue;
			ends[r] = at + lane.length[i];
			lane.row[i] = r;
			lane.rows = Math.max(lane.rows, r + 1);
			break;
		}
	}
	for (var k = 0, slice = 0; k < from.bins.length; k += 4) {
		slice += from.bins[k];
		lane[slice === EARLIER ? 'early' : 'bins'].push({ at: slice === EARLIER ? 0 : slice * data.slice, length: slice === EARLIER ? lane.since : Math.min(data.slice, data.to + 1 - slice * data.slice),
			name: from.bins[k + 1], n: from.bins[k + 2], ns: from.bins[k + 3] });
	}
	lane.bin_at = Float64Array.from(lane.bins, function (b) { return b.at; });
	if (lane.look === 'value') {
		lane.name.forEach(function (name) { lane.largest = Math.max(lane.largest, Number(data.names[name])); });
		lane.bins.concat(lane.early).forEach(function (b) { lane.largest = Math.max(lane.largest, Number(data.names[b.name])); });
	}
	lane.height = { run: 22, state: 18, value: 28, mark: 14, rows: 14 * lane.rows }[lane.look];
	return lane;
}

/* Sums of what is too short, that are partly between two times. */
function bins_in(data, lane, from, to) {
	return lane.early.filter(function (b) { return b.length > from; }).concat(lane.bins.slice(above(lane.bin_at, from - data.slice), above(lane.bin_at, to)));
}

function field(data, lane, i, name) {
	var f = lane.view.fields.indexOf(name), v = f < 0 ? undefined : lane.raw[i * lane.stride + 3 + f];
	return f >= 0 && lane.view.texts[f] ? data.names[v] : v;
}

/* Call @each(name, number, ns, longest) for what is between two times; ns of sums are shares of their slices. */
function sum_lane(data, lane, from, to) {
	var by = new Map(), i;
	function add(name, n, ns, longest) {
		var s = by.get(name) || { name: name, n: 0, ns: 0, longest: 0 };
		s.n += n;
		s.ns += ns;
		s.longest = Math.max(s.longest, longest);
		by.set(name, s);
	}
	for (i = above(lane.end, from); i < lane.from.length && lane.from[i] < to; i++) {
		var begin = lane.from[i], end = begin + lane.length[i];
		if (end > from || (!lane.length[i] && begin >= from))
			add(lane.name[i], 1, (begin >= from && end <= to) ? lane.length[i] : Math.min(end, to) - Math.max(begin, from), lane.length[i]);
	}
	bins_in(data, lane, from, to).forEach(function (b) {
		var whole = b.at >= from && (b.at + b.length <= to || to >= data.to), share = whole ? 1 : Math.max(0, Math.min(b.at + b.length, to) - Math.max(b.at, from)) / b.length;
		add(b.name, b.n * share, b.ns * share, 0);
	});
	return [].slice.call(Array.from(by.values())).sort(function (a, b) { return b.ns - a.ns || b.n - a.n; });
}

/* --- a timeline --- */

function timeline(div) {
	var data = JSON.parse(div.querySelector('script').textContent), lanes = data.lanes.map(function (l, i) { return read_lane(data, l, i); });
	var base = BigInt(data.from), whole = Math.max(data.to, 1), v0 = 0, v1 = whole, left = 150, selected = null, current = -1, found = null, pending = false, colours = [], inks = [];
	var kinds = data.names.map(name_kind), shares = null, style = {}, tasks = {}, drag = null, strip = make('canvas'), image, pixels, words = [];
	div.classList.add('live');
	var tools = make('div', div, null, 'tools');
	[['+', 'Zoom in', 0.5], ['\u2212', 'Zoom out', 2], ['All', 'All', 0]].forEach(function (b) {
		var button = make('button', tools, b[0]);
		button.type = 'button';
		button.title = b[1];
		button.addEventListener('click', function () { b[2] ? zoom(b[2], (v0 + v1) / 2) : show(0, whole); });
	});
	var label = make('label', tools, 'Search '), search = make('input', label), hits = make('output', tools), readout;
	search.type = 'search';
	var box = make('div', div, null, 'box'), canvas = make('canvas', make('div', box, null, 'pin')), tall = make('div', box), g = canvas.getContext('2d');
	canvas.tabIndex = 0;
	canvas.setAttribute('role', 'application');
	canvas.setAttribute('aria-label', 'Timeline of ' + lanes.length + ' lanes. ' + HELP);
	readout = make('p', div, HELP, 'readout');
	var details = make('div', div, null, 'details'), inside = make('div', div, null, 'inside');
	details.setAttribute('aria-live', 'polite');
	lanes.forEach(function (lane) {
		if (lane.look === 'state')
			tasks[lane.of] = lane;
	});
	var height = TOP;
	lanes.forEach(function (lane, i) {
		height += i && lanes[i - 1].owner !== lane.owner ? 7 : 3;
		lane.top = height;
		height += lane.height;
	});
	tall.style.height = height + 6 + 'px';

	/* "6043.141575", as --from takes it */
	function seconds(rel, digits) {
		var t = base + BigInt(Math.round(rel)), s = String(t).padStart(10, '0');
		if (!data.unit)
			return String(t);
		return s.slice(0, -9) + (digits ? '.' + s.slice(-9).slice(0, digits) : '');
	}

	function read_colours() {
		var css = getComputedStyle(div);
		for (var i = 0; i < KINDS; i++) {
			colours[i] = css.getPropertyValue('--k' + i).trim();
			var rgb = parseInt(colours[i].slice(1), 16);
			words[i] = new Uint32Array(new Uint8Array([rgb >> 16, rgb >> 8 & 255, rgb & 255, 255]).buffer)[0];
			inks[i] = (rgb >> 16) * 0.3 + (rgb >> 8 & 255) * 0.59 + (rgb & 255) * 0.11 > 120 ? '#000' : '#fff';
		}
		['fg', 'dim', 'line', 'soft', 'mark', 'hit', 'bg'].forEach(function (n) { style[n] = css.getPropertyValue('--' + n).trim(); });
	}

	function x_of(t) { return left + (t - v0) / (v1 - v0) * (canvas.clientWidth - left); }
	function t_of(x) { return v0 + (x - left) / (canvas.clientWidth - left) * (v1 - v0); }

	function later() {
		if (!pending)
			requestAnimationFrame(draw);
		pending = true;
	}

	function show(from, to) {
		var length = Math.min(Math.max(to - from, 20), whole);
		v0 = Math.min(Math.max((from + to - length) / 2, 0), whole - length);
		v1 = v0 + length;
		later();
		summary_later();
	}

	function zoom(factor, at) { show(at - (at - v0) * factor, at + (v1 - at) * factor); }
	function move(part) { var d = (v1 - v0) * part; show(Math.min(v0 + d, whole - (v1 - v0)), Math.min(v1 + d, whole)); }

	function kind_of(lane, name) {
		if (lane.look === 'state')
			return STATES[data.names[name]] || SLEEPS;
		return lane.look === 'value' ? 0 : kinds[name];
	}

	function is_hit(lane, name) { return !found || found.lanes.has(lane.index) || found.names.has(name); }

	/* What a span is called where there is room for it. */
	function span_text(lane, i) {
		var reason = lane.look === 'state' ? field(data, lane, i, 'reason') : '';
		return data.names[lane.name[i]] + (reason ? ': ' + reason : '');
	}

	function draw_span(lane, i, x, w, y) {
		var kind = kind_of(lane, lane.name[i]), h = lane.look === 'rows' ? 13 : lane.height, top = y + lane.row[i] * 14, from = Math.max(x, left);
		if (lane.look === 'value') {
			h = Math.max(1, lane.height * Number(data.names[lane.name[i]]) / (lane.largest || 1));
			top = y + lane.height - h;
		} else if (kind === SLEEPS) {
			h = 2;
			top = y + lane.height / 2 - 1;
		}
		w = Math.min(x + w, canvas.clientWidth) - from;
		g.globalAlpha = is_hit(lane, lane.name[i]) ? 1 : 0.15;
		g.fillStyle = colours[kind];
		g.fillRect(from, top, Math.max(w - (w > 3 ? 0.5 : 0), 1), h);
		if (kind === DISK) { /* told apart by more than its colour */
			g.fillStyle = style.bg;
			for (var s = from + 2; s < from + w - 1; s += 6)
				g.fillRect(s, top, 1.5, h);
		}
		if (w > 24 && kind !== SLEEPS) {
			g.fillStyle = lane.look === 'value' && h < 14 ? style.fg : kind === DISK ? '#000' : inks[kind];
			g.fillText(span_text(lane, i).slice(0, Math.floor((w - 4) / 6)), from + 3, lane.look === 'value' ? y + lane.height - 8 : top + h / 2);
		}
		g.globalAlpha = 1;
	}

	/* Spans in view; those that are narrow become shares of pixels. */
	function draw_lane(lane, y, width) {
		var scale = width / (v1 - v0), used = false, i, k, x;
		shares.fill(0);
		function add(at, kind, part) {
			if (at >= 0 && at < width) {
				shares[at * KINDS + kind] += part;
				used = true;
			}
		}
		for (i = above(lane.end, v0 - 1); i < lane.from.length && lane.from[i] < v1; i++) {
			var w = lane.length[i] * scale, name = lane.name[i];
			x = (lane.from[i] - v0) * scale;
			if (lane.look === 'mark' && lane.from[i] >= v0)
				add(Math.floor(x), kind_of(lane, name), is_hit(lane, name) ? 1 : 0.1);
			else if (w >= 1.5)
				draw_span(lane, i, left + x, w, y);
			else if (is_hit(lane, name))
				add(Math.floor(x), kind_of(lane, name), w * (lane.largest ? Number(data.names[name]) / lane.largest : 1) || 0.2);
		}
		bins_in(data, lane, v0, v1).forEach(function (b) {
			var from = (b.at - v0) * scale, wide = b.length * scale, share = (b.ns / b.length || 0.2) * (lane.largest ? Number(data.names[b.name]) / lane.largest : 1);
			if (is_hit(lane, b.name))
				for (k = Math.max(0, Math.floor(from)); k < Math.min(width, from + Math.max(wide, 1)); k++)
					add(k, kind_of(lane, b.name), share * Math.min(wide, 1));
		});
		if (!used)
			return;
		pixels.fill(0, 0, strip.width * lane.height);
		for (x = 0; x < width; x++) {
			var sum = 0, bottom = lane.height, row;
			for (k = 0; k < KINDS; k++)
				sum += k === SLEEPS ? 0 : shares[x * KINDS + k];
			for (k = 0; sum && k < KINDS; k++) {
				var h = k === SLEEPS ? 0 : shares[x * KINDS + k] / Math.max(sum, 1) * lane.height;
				for (row = bottom - (h && sum < 1 ? Math.max(h, 2) : h), row = Math.max(0, Math.round(row)); h && row < Math.round(bottom); row++)
					pixels[row * strip.width + x] = words[k];
				bottom -= h && sum < 1 ? Math.max(h, 2) : h;
			}
		}
		strip.getContext('2d').putImageData(image, 0, 0, 0, 0, width, lane.height);
		g.drawImage(strip, 0, 0, width, lane.height, left, y, width, lane.height);
	}

	/* From who woke it, where both have a lane. */
	function draw_arrow(lane, i, offset) {
		var waker = tasks[field(data, lane, i, 'waker_pid')], x = x_of(lane.from[i] + lane.length[i]), y = lane.top - offset, up;
		if (!waker || waker === lane || !field(data, lane, i, 'waker_comm') || x < left || x > canvas.clientWidth)
			return;
		up = waker.top > lane.top;
		y += up ? lane.height : 0;
		g.strokeStyle = g.fillStyle = style.fg;
		g.beginPath();
		g.moveTo(x, waker.top - offset + (up ? 0 : waker.height));
		g.lineTo(x, y);
		g.stroke();
		g.beginPath();
		g.moveTo(x, y);
		g.lineTo(x - 3, y + (up ? 6 : -6));
		g.lineTo(x + 3, y + (up ? 6 : -6));
		g.fill();
	}

	function draw_arrows(shown, offset) {
		var arrows = [];
		shown.forEach(function (lane) {
			if (lane.look !== 'state')
				return;
			for (var i = above(lane.end, v0); i < lane.from.length && lane.from[i] < v1 && arrows.length < 400; i++)
				if (field(data, lane, i, 'waker_comm'))
					arrows.push([lane, i]);
		});
		if (arrows.length < 250)
			arrows.forEach(function (a) { draw_arrow(a[0], a[1], offset); });
	}

	function draw_axis(width) {
		var step = 1, digits, t, x;
		while (step / (v1 - v0) * width < 130)
			step *= String(step)[0] === '2' ? 2.5 : 2;
		digits = Math.max(0, 9 - Math.floor(Math.log10(step) + 1e-9));
		t = Number((base + BigInt(Math.floor(v0))) % BigInt(step));
		g.fillStyle = style.bg;
		g.fillRect(0, 0, canvas.clientWidth, TOP);
		for (t = Math.floor(v0) - t + (t ? step : 0); t <= v1; t += step) {
			x = x_of(t);
			g.fillStyle = style.line;
			g.fillRect(x, 16, 1, canvas.clientHeight);
			g.fillStyle = style.dim;
			g.fillText(seconds(t, digits) + (data.unit ? ' s' : ''), Math.min(x + 3, canvas.clientWidth - 7 * (digits + 6)), 9);
		}
	}

	function draw() {
		pending = false;
		var ratio = window.devicePixelRatio || 1, w = box.clientWidth, h = box.clientHeight, offset = box.scrollTop, shown;
		if (!w || !h) // printed, the picture takes its place
			return;
		left = Math.min(170, Math.max(70, Math.round(w / 5)));
		if (canvas.width !== Math.round(w * ratio) || canvas.height !== Math.round(h * ratio)) {
			canvas.width = Math.round(w * ratio);
			canvas.height = Math.round(h * ratio);
			canvas.style.width = w + 'px';
			canvas.style.height = h + 'px';
			shares = new Float64Array(w * KINDS);
			strip.width = w;
			strip.height = Math.max.apply(null, lanes.map(function (lane) { return lane.height; }).concat(1));
			image = strip.getContext('2d').createImageData(w, strip.height);
			pixels = new Uint32Array(image.data.buffer);
		}
		g.setTransform(ratio, 0, 0, ratio, 0, 0);
		g.clearRect(0, 0, w, h);
		g.font = '11px system-ui, sans-serif';
		g.textBaseline = 'middle';
		draw_axis(w - left);
		g.save();
		g.beginPath();
		g.rect(0, TOP, w, h);
		g.clip();
		shown = lanes.filter(function (lane) { return lane.top + lane.height > offset + TOP && lane.top < offset + h; });
		shown.forEach(function (lane) {
			var y = lane.top - offset;
			if (lane.index === current) {
				g.fillStyle = style.soft;
				g.fillRect(0, y - 1, w, lane.height + 2);
			}
			if (lane.since > v0) {
				g.fillStyle = style.line;
				g.fillRect(left, y + lane.height - 1, Math.min(x_of(lane.since), w) - left, 1);
			}
			draw_lane(lane, y, w - left);
			g.fillStyle = style.bg;
			g.fillRect(0, y, left, lane.height);
			g.fillStyle = lane.index === current ? style.hit : lane.sub ? style.dim : style.fg;
			g.fillText((lane.sub ? '  ' + lane.sub : lane.title).slice(0, Math.floor(left / 6.2)), 2, y + Math.min(lane.height, 22) / 2);
		});
		draw_arrows(shown, offset);
		for (var m = 0; m < data.marks.length; m += 2) {
			g.fillStyle = style.mark;
			if (data.marks[m] >= v0 && data.marks[m] <= v1)
				g.fillRect(x_of(data.marks[m]) - 1, 0, 2, h);
		}
		if (selected) {
			var lane = selected.lane, i = selected.i, x = Math.max(x_of(lane.from[i]), left), end = x_of(lane.from[i] + lane.length[i]);
			g.strokeStyle = style.hit;
			g.lineWidth = 2;
			if (end >= left)
				g.strokeRect(x, lane.top - offset + lane.row[i] * 14, Math.max(Math.min(end, w) - x, 2), lane.look === 'rows' ? 13 : lane.height);
			g.lineWidth = 1;
		}
		g.restore();
	}

	/* --- what is told in words --- */

	function command(lane, i) {
		var event = lane.view.event, pid = lane.view.group === 1 ? lane.of : field(data, lane, i, 'pid'), waits = field(data, lane, i, 'reason');
		if (event.indexOf('derived:') || !data.unit || !lane.length[i])
			return null;
		return 'hist why' + data.input + ' -e ' + (waits ? 'derived:wait' : event) + (pid !== undefined ? ' --pid ' + pid : '') + ' --at ' + seconds(lane.from[i] + lane.length[i], 9) +
			(lane.view.group ? '' : ',' + lane.of);
	}

	function meanwhile(lane, i, list) {
		var cpu = field(data, lane, i, 'cpu'), kind = kind_of(lane, lane.name[i]), on;
		on = lane.look === 'state' && kind === WAITS && lanes.find(function (l) { return l.look === 'run' && l.of === cpu; });
		(on ? sum_lane(data, on, lane.from[i], lane.from[i] + lane.length[i]) : []).slice(0, 5).forEach(function (s) {
			make('dt', list, 'meanwhile on CPU ' + cpu);
			make('dd', list, data.names[s.name] + ' ran ' + duration(s.ns));
		});
	}

	function describe() {
		var lane, i, list, text;
		details.textContent = '';
		if (!selected)
			return;
		lane = selected.lane;
		i = selected.i;
		list = make('dl', details);
		[['event', lane.view.event], ['lane', lane.title], ['name', data.names[lane.name[i]]], ['from', seconds(lane.from[i], 9)], ['to', seconds(lane.from[i] + lane.length[i], 9)],
			['length', lane.length[i] ? duration(lane.length[i]) + ' (' + group_digits(lane.length[i]) + ' ns)' : '']]
			.concat(lane.view.fields.map(function (f) { return [f, field(data, lane, i, f)]; }))
			.forEach(function (pair) {
				if (pair[1] === '' || pair[1] === undefined)
					return;
				make('dt', list, pair[0]);
				make('dd', list, /_ns$/.test(pair[0]) ? duration(Number(pair[1])) : pair[1]).dataset.field = pair[0];
			});
		meanwhile(lane, i, list);
		text = command(lane, i);
		if (text)
			make('pre', details, text);
	}

	var summary_timer = 0;
	function summary_later() {
		clearTimeout(summary_timer);
		summary_timer = setTimeout(summarise, 150);
	}

	/* The names of a lane in view, or all lanes. */
	function summarise() {
		var one = current >= 0 ? lanes[current] : null, table, body, rows, head;
		inside.textContent = '';
		table = make('table', make('div', inside, null, 'wide'));
		make('caption', table, (one ? one.title + ', by name' : 'Lanes') + ', from ' + seconds(v0, 9) + ' to ' + seconds(v1, 9) + (data.unit ? ' s (' + duration(v1 - v0) + ')' : '') +
			(one && one.cut ? '; shorter than ' + duration(one.cut) + ': summed up' : ''));
		head = make('tr', make('thead', table));
		(one ? ['name', 'number', 'total', '% of the view', 'longest'] : ['lane', 'number', 'total', '% of the view', 'mostly']).forEach(function (h, i) { make('th', head, h, i && i < 4 ? 'n' : ''); });
		body = make('tbody', table);
		rows = one ? sum_lane(data, one, v0, v1) : lanes;
		rows.slice(0, one ? 30 : 60).forEach(function (r) {
			var tr = make('tr', body), names = one ? null : sum_lane(data, r, v0, v1), n = r.n, ns = r.ns, most;
			if (!one) {
				n = ns = 0;
				names.forEach(function (s) {
					n += s.n;
					ns += s.ns;
				});
				most = names.find(function (s) { return r.look !== 'state' || kind_of(r, s.name) !== SLEEPS; }) || names[0];
			}
			make('td', tr, one ? data.names[r.name] : r.title);
			make('td', tr, group_digits(Math.round(n)), 'n').dataset.v = n;
			make('td', tr, ns ? duration(ns) : '', 'n').dataset.v = ns;
			make('td', tr, ns ? (100 * ns / (v1 - v0)).toFixed(1) : '', 'n');
			make('td', tr, one ? (r.longest ? duration(r.longest) : '') : most ? data.names[most.name] + (most.ns ? ' ' + duration(most.ns) : '') : '');
		});
		if (!one && data.hidden)
			make('p', inside, data.hidden + ' tasks that did less have no lane: --comm, --pid and --tree choose others. Where a lane has a line at its foot, only sums of its spans are known', 'note');
		if (v1 - v0 < whole / 4 && lanes.some(function (lane) { return bins_in(data, lane, v0, v1).length; })) {
			make('p', inside, 'Short spans are summed up here. All of this part are in the page of', 'note');
			make('pre', inside, 'hist events' + data.input + ' --from ' + seconds(v0, 9) + ' --to ' + seconds(v1, 9) + ' --format timeline -o part.html');
		}
		try {
			history.replaceState(null, '', '#from=' + seconds(v0, 9) + '&to=' + seconds(v1, 9) + (current >= 0 ? '&lane=' + current : '') + (selected ? '&span=' + selected.i : ''));
		} catch (e) { /* not within a frame that has no address */ }
	}

	function select(lane, i) {
		selected = lane && i >= 0 && i < lane.from.length ? { lane: lane, i: i } : null;
		current = lane ? lane.index : -1;
		if (lane && (lane.top < box.scrollTop + TOP || lane.top + lane.height > box.scrollTop + box.clientHeight))
			box.scrollTop = lane.top - TOP - 8;
		describe();
		later();
		summary_later();
	}

	/* Select a span, and move to it if it is not in view. */
	function go(lane, i) {
		var from = lane.from[i], end = from + lane.length[i], half = (v1 - v0) / 2;
		if (end < v0 || from > v1)
			show((from + end) / 2 - half, (from + end) / 2 + half);
		select(lane, i);
	}

	function at(event) {
		var r = canvas.getBoundingClientRect(), x = event.clientX - r.left, y = event.clientY - r.top + box.scrollTop, lane, i, best = -1, t, near = 3 * (v1 - v0) / (canvas.clientWidth - left);
		lane = event.clientY - r.top < TOP ? undefined : lanes.find(function (l) { return y >= l.top - 2 && y < l.top + l.height + 2; });
		t = t_of(x);
		for (i = lane && x >= left ? above(lane.end, t - near) : Infinity; lane && i < lane.from.length && lane.from[i] <= t + near; i++)
			if (lane.look !== 'rows' || Math.floor((y - lane.top) / 14) === lane.row[i])
				if (best < 0 || lane.from[i] <= t || Math.abs(lane.from[i] - t) < Math.abs(lane.from[best] - t))
					best = i;
		return { lane: lane, i: best, x: x, t: t };
	}

	function next_hit() {
		var from = selected ? selected.lane.from[selected.i] : v0 - 1, best = null;
		if (!found)
			return;
		lanes.forEach(function (lane) {
			for (var i = above(lane.from, from); i < lane.from.length; i++)
				if (found.names.has(lane.name[i]) || (found.lanes.has(lane.index) && !found.names.size)) {
					if (!best || lane.from[i] < best.lane.from[best.i])
						best = { lane: lane, i: i };
					break;
				}
		});
		if (best)
			go(best.lane, best.i);
		else
			hits.textContent = 'no further hit';
	}

	search.addEventListener('input', function () {
		var want = search.value.toLowerCase(), n = 0, ns = 0;
		found = want ? { names: new Set(), lanes: new Set() } : null;
		data.names.forEach(function (name, i) { want && name.toLowerCase().indexOf(want) >= 0 && found.names.add(i); });
		lanes.forEach(function (lane) {
			if (want && lane.title.toLowerCase().indexOf(want) >= 0)
				found.lanes.add(lane.index);
			sum_lane(data, lane, 0, whole + 1).forEach(function (s) {
				if (want && found.names.has(s.name)) {
					n += s.n;
					ns += s.ns;
				}
			});
		});
		hits.textContent = want ? group_digits(n) + ' spans, ' + duration(ns) + '; ' + found.lanes.size + ' lanes' : '';
		later();
	});
	search.addEventListener('keydown', function (e) { e.key === 'Enter' && next_hit(); });

	canvas.addEventListener('pointerdown', function (e) {
		drag = { x: e.clientX, y: e.clientY, v0: v0, v1: v1, scroll: box.scrollTop, moved: false };
		canvas.setPointerCapture(e.pointerId);
		canvas.focus();
	});
	canvas.addEventListener('pointermove', function (e) {
		var d, p;
		if (drag) {
			d = (drag.x - e.clientX) / (canvas.clientWidth - left) * (drag.v1 - drag.v0);
			drag.moved = drag.moved || Math.abs(e.clientX - drag.x) + Math.abs(e.clientY - drag.y) > 4;
			if (drag.moved) {
				d = Math.min(Math.max(d, -drag.v0), whole - drag.v1);
				show(drag.v0 + d, drag.v1 + d);
				box.scrollTop = drag.scroll + drag.y - e.clientY;
			}
			return;
		}
		p = at(e);
		readout.textContent = p.i >= 0 ? p.lane.title + ': ' + span_text(p.lane, p.i) + (p.lane.length[p.i] ? ', ' + duration(p.lane.length[p.i]) : '') + ', at ' + seconds(p.lane.from[p.i], 9) :
			p.x > left ? seconds(p.t, 9) + (data.unit ? ' s' : '') : HELP;
	});
	canvas.addEventListener('pointerup', function (e) {
		var p;
		if (drag && !drag.moved) {
			p = at(e);
			select(p.lane || null, p.i);
		}
		drag = null;
	});
	canvas.addEventListener('dblclick', function (e) {
		var p = at(e), l;
		if (p.i >= 0 && p.lane.length[p.i]) {
			l = p.lane.length[p.i];
			show(p.lane.from[p.i] - l / 4, p.lane.from[p.i] + l * 1.25);
		} else {
			zoom(0.25, p.t);
		}
	});
	canvas.addEventListener('wheel', function (e) {
		if (e.ctrlKey || e.metaKey)
			zoom(Math.pow(1.002, e.deltaY), t_of(e.clientX - canvas.getBoundingClientRect().left));
		else if (Math.abs(e.deltaX) > Math.abs(e.deltaY) || e.shiftKey)
			move((e.deltaX || e.deltaY) / canvas.clientWidth);
		else
			return;
		e.preventDefault();
	}, { passive: false });

	function step(by) {
		var lane = lanes[Math.max(current, 0)], i = selected && selected.lane === lane ? selected.i + by : Math.min(above(lane.from, v0), lane.from.length - 1);
		if (lane && i >= 0 && i < lane.from.length)
			go(lane, i);
	}

	canvas.addEventListener('keydown', function (e) {
		var middle = selected ? selected.lane.from[selected.i] + selected.lane.length[selected.i] / 2 : (v0 + v1) / 2;
		var keys = {
			ArrowLeft: function () { move(-0.15); }, ArrowRight: function () { move(0.15); }, a: function () { move(-0.15); }, d: function () { move(0.15); },
			'+': function () { zoom(0.6, middle); }, '=': function () { zoom(0.6, middle); }, w: function () { zoom(0.6, middle); }, '-': function () { zoom(1 / 0.6, middle); },
			s: function () { zoom(1 / 0.6, middle); }, 0: function () { show(0, whole); }, Home: function () { show(0, v1 - v0); }, End: function () { show(whole - (v1 - v0), whole); },
			ArrowUp: function () { select(lanes[Math.max(current - 1, 0)], -1); }, ArrowDown: function () { select(lanes[Math.min(current + 1, lanes.length - 1)], -1); },
			'[': function () { step(-1); }, ']': function () { step(1); }, n: next_hit, '/': function () { search.focus(); }, Escape: function () { select(null, -1); },
			Enter: function () { selected && show(selected.lane.from[selected.i] - selected.lane.length[selected.i] / 4, selected.lane.from[selected.i] + selected.lane.length[selected.i] * 1.25); }
		};
		if (!keys[e.key] || e.ctrlKey || e.altKey || e.metaKey)
			return;
		e.preventDefault();
		keys[e.key]();
	});

	/* "#from=12.5&to=12.6&lane=3&span=7" */
	function from_address() {
		var p = new URLSearchParams(location.hash.slice(1)), lane = lanes[Number(p.get('lane'))];
		function rel(name, other) {
			var t = /^(\d+)(?:\.(\d{1,9}))?$/.exec(p.get(name) || '');
			return t ? Number(BigInt(data.unit ? t[1] + (t[2] || '').padEnd(9, '0') : t[1]) - base) : other;
		}
		show(rel('from', 0), rel('to', whole));
		if (p.has('lane') && lane)
			select(lane, p.has('span') ? Number(p.get('span')) : -1);
	}

	box.addEventListener('scroll', later);
	new ResizeObserver(draw).observe(box);
	window.addEventListener('hashchange', from_address);
	matchMedia('(prefers-color-scheme: dark)').addEventListener('change', function () {
		read_colours();
		later();
	});
	read_colours();
	from_address();
	summarise();
}

[].forEach.call(document.querySelectorAll('div.timeline'), timeline);
}());
