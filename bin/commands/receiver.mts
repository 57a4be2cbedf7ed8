import type { Received } from '../../lib/home/receiver.ts';
import { readCommandLine } from '../../lib/local/command-line.ts';

const help = `npm run receiver -- --secret SECRET    listens on this machine as a nurse-call system does, and prints what webhooks send
  --port 4000                  the port; 0 takes any free one. Webhooks call http://127.0.0.1:PORT/hook
  --secret SECRET              the secretKey of the webhook, to check its signatures; without it they are not checked
Ctrl-C ends it. Exit code: 0; 1 when the port is taken; 2 for wrong options.`;
const options = { port: { type: 'string', default: '4000' }, secret: { type: 'string' } } as const;
const given = readCommandLine(options, help, { out: console.log, err: console.error }, ({ port }) =>
  /^\d{1,5}$/.test(port) && Number(port) <= 65_535 ? null : '--port is 0 to 65535',
);

const [{ isSigned, startReceiver }, { alarmIn }] = await Promise.all([
  import('../../lib/home/receiver.ts'),
  import('../../lib/local/demo/nurse-call.ts'),
]);
const shown = ['webhook-id', 'webhook-timestamp', 'webhook-signature', 'x-service-cloud-signature', 'authorization'];
const { secret } = given;
const print = async (request: Received): Promise<void> => {
  const headers = shown.filter((name) => request.headers[name]).map((name) => `  ${name}: ${request.headers[name]}`);
  const judged = secret ? [`  the signatures are ${(await isSigned(request, secret)) ? 'right' : 'WRONG'}`] : [];
  const title = `\n${new Date(request.at).toISOString()}  ${alarmIn(request.body) ?? 'no JSON object'}`;
  console.log([title, ...headers, ...judged, `  ${request.body}`].join('\n'));
};
const receiver = await startReceiver((request, response) => {
  void print(request);
  response.writeHead(alarmIn(request.body) === null ? 400 : 200).end();
}, Number(given.port)).catch(({ code, message }: NodeJS.ErrnoException) => {
  console.error(code === 'EADDRINUSE' ? `--port: something else listens on port ${given.port}` : message);
  return null;
});
if (receiver) console.log(`listening: ${receiver.url}`);
else process.exitCode = 1;
