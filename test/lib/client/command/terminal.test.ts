import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { startReceiver } from '#lib/home/receiver.ts';

const main = fileURLToPath(new URL('../../../../lib/client/command/main.ts', import.meta.url));

test('a command reads piped input line by line, and exits even if the pipe stays open', async () => {
  const service = await startReceiver((_, response) => {
    response.writeHead(401, { 'Content-Type': 'application/json' }).end('{"message":"a wrong password"}');
  });
  const url = new URL(service.url).origin;
  const child = spawn(process.execPath, [main, 'login', '--url', url], { stdio: ['pipe', 'ignore', 'pipe'] });
  const err = child.stderr.toArray();
  child.stdin.write('nurse\na-password\n');
  const [code] = await once(child, 'exit');
  expect([code, (await err).join('')]).toEqual([1, 'a wrong password (401).\n']);
  expect(service.received.map(({ body }) => JSON.parse(body))).toEqual([{ username: 'nurse', password: 'a-password' }]);
  child.stdin.end();
  await service.stop();
});
