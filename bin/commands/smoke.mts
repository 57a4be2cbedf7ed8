import { readCommandLine } from '../../lib/local/command-line.ts';
import { runTool } from '../../lib/tools/run.ts';

const help = `npm run smoke -- --url URL --user NAME --receiver https://...
                             plays the main case once, in any deployment: creates a customer, user, sensor, webhook and
                             rule, reports a fall, checks that the receiver is told, and removes everything
  --url URL                  the API, ends in /api/v1; the default is the cloud of npm start on port 3000
  --user NAME                a system admin, whose password is in SMOKE_PASSWORD or --password
  --token TOKEN              the token of a system admin instead; it may be in SMOKE_TOKEN
  --receiver URL             an address that answers a POST with 2xx; a cloud on this machine needs none
  --device-url URL           the address for devices, without /api/v1; the default is what the service names
  --seconds 60               seconds that the fall may take to reach the receiver: 1 to 900
Prints each step with its time. Its events and rule hits expire by themselves.
Exit code: 0; 1 when a step failed or something could not be removed; 2 for wrong options.`;

const text = { type: 'string' } as const;
const options = {
  url: { ...text, default: 'http://127.0.0.1:3000/api/v1' },
  user: text,
  password: text,
  token: text,
  receiver: text,
  'device-url': text,
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
const { smoke } = await import('../../lib/tools/smoke/smoke.ts');
const stop = new AbortController();
process.once('SIGINT', () => stop.abort());
process.once('SIGTERM', () => stop.abort());

process.exitCode = await runTool(
  () =>
    smoke({
      base: given.url.replace(/\/$/, ''),
      login: user === undefined ? { token } : { username: user, password },
      receiver,
      deviceUrl: given['device-url'],
      seconds: Number(given.seconds),
      say: console.log,
      signal: stop.signal,
    }),
  console.error,
);
