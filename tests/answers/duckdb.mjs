// SPDX-License-Identifier: GPL-2.0-only
//
// duckdb.mjs MODULES: reads statements as lines of json, prints the rows of each as a line of json, with numbers as texts.
// MODULES: the directory with the npm package @duckdb/node-api.
import { createInterface } from 'readline';
import { createRequire } from 'module';
import { pathToFileURL } from 'url';
const { DuckDBInstance } = await import(pathToFileURL(createRequire(process.argv[2] + '/').resolve('@duckdb/node-api')));
const db = await (await DuckDBInstance.create(':memory:', { threads: '1' })).connect();
for await (const line of createInterface({ input: process.stdin })) {
	let answer;
	try {
		answer = (await db.runAndReadAll(JSON.parse(line))).getRows().map(row => row.map(v => v === null ? null : String(v)));
	} catch (e) {
		answer = String(e);
	}
	process.stdout.write(JSON.stringify(answer) + '\n');
}
