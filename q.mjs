import postgres from 'postgres'; import {readFileSync} from 'fs';
const sql=postgres(readFileSync('/tmp/demo-db','utf8').trim(),{max:1});
console.table(await sql.unsafe(process.argv[2])); await sql.end();
