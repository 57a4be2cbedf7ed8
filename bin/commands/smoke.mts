import { readCommandLine } from '../../lib/local/command-line.ts';
import { runTool } from '../../lib/tools/run.ts';

const help = `npm run smoke -- --url URL --user NAME --receiver https://...
                             tests any deployment: creates a customer, user, sensor, webhook and rule, reports a fall,
                             checks that it reaches the receiver, and removes everything
  --url URL                  API address, ending in /api/v1 (default: npm start on port 3000)
  --user NAME                a system admin, with the password in SMOKE_PASSWORD or --password
  --token TOKEN              or a system admin's token, also in SMOKE_TOKEN
  --receiver URL             an address that responds to POST with 2xx; not needed for a service on this machine
  --device-url URL           device API address, without /api/v1 (default: as the service reports)
  --seconds 60               longest time for the fall to reach the receiver: 1 to 900
Prints each step with its duration. The events and rule hits expire.
Exit code: 0; 1 if a step failed or something could not be removed; 2 for invalid options.`;

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
const isWebUrl = (url: string | undefined) => url === undefined || /^https?:/.test(URL.parse(url)?.protocol ?? '');

const given = readCommandLine(options, help, { out: console.log, err: console.error }, (values) => {
  const { url, user, password = SMOKE_PASSWORD, token = SMOKE_TOKEN, receiver, seconds } = values;
  if (!isWebUrl(url) || !/\/api\/v1\/?$/.test(url)) return '--url must be a URL that ends in /api/v1';
  if (!isWebUrl(receiver)) return '--receiver must be a URL';
  if (!isWebUrl(values['device-url'])) return '--device-url must be a URL';
  if (!/^\d{1,3}$/.test(seconds) || Number(seconds) < 1 || Number(seconds) > 900) return '--seconds must be 1 to 900';
  if (user !== undefined && !password) return '--user requires a password: SMOKE_PASSWORD, or --password';
  if (user === undefined && !token) return '--user NAME or --token TOKEN is required';
  if (receiver === undefined && !LOOPBACK.includes(new URL(url).hostname))
    return '--receiver is required, because a remote service cannot call this machine';
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
