import type { Received } from '../../lib/home/receiver.ts';
import { readCommandLine } from '../../lib/local/command-line.ts';

const help = `npm run receiver -- --secret SECRET    acts as a nurse-call system on this machine, and prints webhook requests
  --port 4000                  port, or 0 for any free one. Webhooks call http://127.0.0.1:PORT/hook
  --secret SECRET              the webhook's secretKey; without it, signatures are not verified
Stop it with Ctrl-C. Exit code: 0; 1 if the port is in use; 2 for invalid options.`;
const options = { port: { type: 'string', default: '4000' }, secret: { type: 'string' } } as const;
const given = readCommandLine(options, help, { out: console.log, err: console.error }, ({ port }) =>
  /^\d{1,5}$/.test(port) && Number(port) <= 65_535 ? null : '--port must be 0 to 65535',
);

const [{ isSigned, startReceiver }, { alarmTextOf }] = await Promise.all([
  import('../../lib/home/receiver.ts'),
  import('../../lib/local/demo/nurse-call.ts'),
]);
const shown = ['webhook-id', 'webhook-timestamp', 'webhook-signature', 'x-service-cloud-signature', 'authorization'];
const { secret } = given;
const print = async (request: Received): Promise<void> => {
  const headers = shown.filter((name) => request.headers[name]).map((name) => `  ${name}: ${request.headers[name]}`);
  const verified = secret ? [`  signatures: ${(await isSigned(request, secret)) ? 'valid' : 'INVALID'}`] : [];
  const title = `\n${new Date(request.at).toISOString()}  ${alarmTextOf(request.body) ?? 'not a JSON object'}`;
  console.log([title, ...headers, ...verified, `  ${request.body}`].join('\n'));
};
const receiver = await startReceiver((request, response) => {
  void print(request);
  response.writeHead(alarmTextOf(request.body) === null ? 400 : 200).end();
}, Number(given.port)).catch(({ code, message }: NodeJS.ErrnoException) => {
  console.error(code === 'EADDRINUSE' ? `--port: port ${given.port} is already in use` : message);
  return null;
});
if (receiver) console.log(`listening: ${receiver.url}`);
else process.exitCode = 1;
