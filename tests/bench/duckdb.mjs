// SPDX-License-Identifier: GPL-2.0-only
//
// duckdb.mjs CSV THREADS OUT: DuckDB on the rows of `loop FILE rows`: seconds of each query, from a
// table in memory, without loading it. The rows of query N are written to OUT.N. Needs the npm
// package @duckdb/node-api where node finds it.
import { createRequire } from 'module';
import { writeFileSync } from 'fs';
const { DuckDBInstance } = createRequire(process.cwd() + '/')('@duckdb/node-api');
const [csv, threads, out] = process.argv.slice(2);
const db = await (await DuckDBInstance.create(':memory:', { threads })).connect();
await db.run(`CREATE TABLE e AS SELECT * FROM read_csv('${csv}', header = false, columns =
	{'ts': 'UBIGINT', 'kind': 'VARCHAR', 'pid': 'INTEGER', 'other': 'INTEGER', 'comm': 'VARCHAR'})`);
const queries = [
	`SELECT pid, count(*) FROM e WHERE kind = 's' GROUP BY pid`,
	`SELECT comm, pid, count(*), sum(other) FROM e WHERE kind = 's' GROUP BY ALL`,
	`SELECT s.comm, (2 ** ceil(log2(greatest((s.ts + 500) // 1000 - (w.ts + 500) // 1000, 1))))::BIGINT AS lat, count(*)
		FROM (SELECT * FROM e WHERE kind = 's') s ASOF JOIN (SELECT * FROM e WHERE kind = 'w') w
		ON s.other = w.other AND s.ts >= w.ts GROUP BY ALL`,
];
for (const [n, sql] of queries.entries()) {
	const times = [];
	let rows;
	for (let i = 0; i < 3; i++) {
		const start = performance.now();
		rows = (await db.runAndReadAll(sql)).getRows();
		times.push((performance.now() - start) / 1000);
	}
	writeFileSync(`${out}.${n}`, rows.map(r => r.join('\t') + '\n').join(''));
	console.log(times.sort((a, b) => a - b)[1].toFixed(3));
}
