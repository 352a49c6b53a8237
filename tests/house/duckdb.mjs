// SPDX-License-Identifier: GPL-2.0-only
//
// duckdb.mjs MODULES LAKE SQL: runs the statements of a file in DuckDB, with the variable lake; prints
// names and rows, separated by tabs. MODULES: the directory with the npm package @duckdb/node-api.
import { createRequire } from 'module';
import { readFileSync } from 'fs';
import { pathToFileURL } from 'url';
const [modules, lake, file] = process.argv.slice(2);
const { DuckDBInstance } = await import(pathToFileURL(createRequire(modules + '/').resolve('@duckdb/node-api')));
const db = await (await DuckDBInstance.create(':memory:')).connect();
await db.run(`SET VARIABLE lake = '${lake}'`);
for (const sql of readFileSync(file, 'utf8').replace(/^--.*$/gm, '').split(';')) {
	if (!sql.trim())
		continue;
	const result = await db.runAndReadAll(sql);
	if (!/^\s*CREATE/.test(sql))
		console.log([result.columnNames(), ...result.getRows()].map(row => row.join('\t')).join('\n'));
}
