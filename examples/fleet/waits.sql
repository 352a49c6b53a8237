-- SPDX-License-Identifier: GPL-2.0-only
-- How long tasks of a fleet waited for a CPU, in DuckDB: over LAKE of to-parquet.sh.
--	duckdb -c "SET VARIABLE lake = 'lake'" -f waits.sql

CREATE TEMP VIEW waits AS
SELECT * FROM read_parquet(getvariable('lake') || '/host=*/derived.wait.parquet', hive_partitioning = true);

-- The quantiles of each host and kernel.
SELECT host, kernel, count(*) AS n, quantile_disc(ns, 0.5) AS p50, quantile_disc(ns, 0.99) AS p99, max(ns) AS worst
FROM waits GROUP BY ALL ORDER BY p99 DESC, host LIMIT 20;

-- The ten worst waits of the fleet: with what to type to learn why.
SELECT host, event_comm AS comm, event_pid AS pid, ns,
       printf('hist why -i ''%s'' -e derived:wait -f ''pid == %d && ns == %d''', file, event_pid, ns) AS why
FROM waits ORDER BY ns DESC, host, ts LIMIT 10;
