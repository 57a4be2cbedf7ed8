import { readCommandLine } from '../lib/local/command-line.ts';
import { runTool } from '../lib/tools/run.ts';

const help = `npm run smoke -- --url URL --user NAME --receiver https://...
                             the main job once, in any deployment: a customer, a user, a sensor, a webhook and a rule are
                             made, somebody falls, the receiver is told, and all of it is removed again
  --url URL                  of the API, ends in /api/v1; without it the cloud of npm start on port 3000
  --user NAME                a system admin; the password in SMOKE_PASSWORD, or --password
  --token TOKEN              or a token of one, also in SMOKE_TOKEN
  --receiver URL             an address that answers a POST with 2xx; without it one on this machine, for a cloud here
  --device-url URL           where devices call, without /api/v1; without it where the service says
  --seconds 60               how long the fall may take to the receiver: 1 to 900
Prints each step with its time. Its events and rule hits expire by themselves.
Ends with 0, with 1 when a step failed or something could not be removed, with 2 when it is called wrongly.`;

const text = { type: 'string' } as const;
const options = {
  url: { ...text, default: 'http://127.0.0.1:3000/api/v1' },
  ...{ user: text, password: text, token: text, receiver: text, 'device-url': text },
  seconds: { ...text, default: '60' },
} as const;

const LOOPBACK = ['127.0.0.1', 'localhost', '[::1]'];
const { SMOKE_TOKEN, SMOKE_PASSWORD } = process.env;
const isWeb = (url: string | undefined) => url === undefined || /^https?:/.test(URL.parse(url)?.protocol ?? '');

const given = readCommandLine(options, help, { out: console.log, err: console.error }, (values) => {
  const { url, user, password = SMOKE_PASSWORD, token = SMOKE_TOKEN, receiver, seconds } = values;
  if (!isWeb(url) || !/\/api\/v1\/?$/.test(url)) return '--url is a URL that ends in /api/v1';
  if (!isWeb(receiver)) return '--receiver is a URL';
  if (!isWeb(values['device-url'])) return '--device-url is a URL';
  if (!/^\d{1,3}$/.test(seconds) || Number(seconds) < 1 || Number(seconds) > 900) return '--seconds is 1 to 900';
  if (user !== undefined && !password) return '--user needs the password: SMOKE_PASSWORD, or --password';
  if (user === undefined && !token) return 'who logs in? --user NAME, or --token TOKEN';
  if (receiver === undefined && !LOOPBACK.includes(new URL(url).hostname))
    return 'a cloud elsewhere cannot call this machine: --receiver names an address that answers 2xx';
  return null;
});

const { user, password = SMOKE_PASSWORD ?? '', token = SMOKE_TOKEN ?? '', receiver } = given;
const { smoke } = await import('../lib/tools/smoke/smoke.ts');
const stop = new AbortController();
process.once('SIGINT', () => stop.abort());
process.once('SIGTERM', () => stop.abort());

process.exitCode = await runTool(
  () =>
    smoke({
      base: given.url.replace(/\/$/, ''),
      login: user === undefined ? { token } : { username: user, password },
      ...{ receiver, deviceUrl: given['device-url'], seconds: Number(given.seconds), say: console.log },
      signal: stop.signal,
    }),
  console.error,
);
