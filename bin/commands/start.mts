import { start } from '../../lib/local/start.ts';

await start(process.argv.slice(2), process.env, { out: console.log, err: console.error });
