// SPDX-License-Identifier: GPL-2.0-only
//
// parquet.mjs duckdb|hyparquet|wasm MODULES FILE...: the number of rows, the columns and the rows of each
// Parquet file as lines of json; numbers are texts, bytes hexadecimal. MODULES: the directory with the npm packages
// @duckdb/node-api, or hyparquet and hyparquet-compressors.
import { createRequire } from 'module';
import { pathToFileURL } from 'url';
const [reader, modules, ...files] = process.argv.slice(2);
const load = async name => import(pathToFileURL(createRequire(modules + '/').resolve(name)));
const hex = bytes => Buffer.from(bytes).toString('hex');

function plain(v) {
	if (v === null || v === undefined)
		return null;
	if (typeof v === 'bigint' || typeof v === 'number')
		return String(v);
	if (v.bytes)
		return hex(v.bytes);
	if (v instanceof Uint8Array)
		return hex(v);
	if (v.items || Array.isArray(v))
		return [...(v.items ?? v)].map(plain);
	return v;
}

async function duckdb() {
	const { DuckDBInstance } = await load('@duckdb/node-api');
	const db = await (await DuckDBInstance.create(':memory:')).connect();
	return async file => {
		const result = await db.runAndReadAll(`SELECT * FROM '${file}'`);
		return [result.columnNames(), result.getRows()];
	};
}

async function hyparquet() {
	const { parquetReadObjects, parquetMetadataAsync, asyncBufferFromFile, parquetSchema } = await load('hyparquet');
	const { compressors } = await load('hyparquet-compressors');
	return async path => {
		const file = await asyncBufferFromFile(path);
		const metadata = await parquetMetadataAsync(file);
		const names = parquetSchema(metadata).children.map(c => c.element.name);
		const rows = await parquetReadObjects({ file, metadata, compressors, utf8: false });
		return [names, rows.map(row => names.map(n => row[n]))];
	};
}

const read = await (reader === 'duckdb' ? duckdb() : hyparquet());
for (const file of files) {
	const [names, rows] = await read(file);
	const lines = [rows.length, names, ...rows.map(row => row.map(plain))];
	process.stdout.write(lines.map(x => JSON.stringify(x) + '\n').join(''));
}
