// SPDX-License-Identifier: GPL-2.0-only
//
// duckdb.mjs CSV [THREADS]: DuckDB on the rows of `loop FILE rows`: seconds of each query, from a
// table in memory. Needs the npm package @duckdb/node-api where node finds it.
import { createRequire } from 'module';
const { DuckDBInstance } = createRequire(process.cwd() + '/')('@duckdb/node-api');
const [csv, threads] = process.argv.slice(2);
const db = await (await DuckDBInstance.create(':memory:', { threads: threads || '2' })).connect();
await db.run(`CREATE TABLE e AS SELECT * FROM read_csv('${csv}', header = false, columns =
	{'ts': 'UBIGINT', 'kind': 'VARCHAR', 'pid': 'INTEGER', 'other': 'INTEGER', 'comm': 'VARCHAR'})`);
const rows = Number((await db.runAndReadAll('SELECT count(*) FROM e')).getRows()[0][0]);
const queries = {
	'one key': `SELECT pid, count(*) FROM e WHERE kind = 's' GROUP BY pid`,
	'two keys': `SELECT comm, pid, count(*), sum(other) FROM e WHERE kind = 's' GROUP BY ALL`,
	'wakeup latency, ASOF JOIN': `SELECT s.comm, floor(log2(greatest((s.ts - w.ts) // 1000, 1))) AS lat, count(*)
		FROM (SELECT * FROM e WHERE kind = 's') s ASOF JOIN (SELECT * FROM e WHERE kind = 'w') w
		ON s.other = w.other AND s.ts >= w.ts GROUP BY ALL`,
};
for (const [name, sql] of Object.entries(queries)) {
	const times = [];
	for (let i = 0; i < 3; i++) {
		const start = performance.now();
		(await db.runAndReadAll(sql)).getRows();
		times.push((performance.now() - start) / 1000);
	}
	console.log(`${rows}\t${times.sort((a, b) => a - b)[1].toFixed(3)}\tDuckDB, ${name}`);
}
