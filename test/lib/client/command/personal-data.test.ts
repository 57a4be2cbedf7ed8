import { describe, expect, test } from 'vitest';
import { ADMIN_PASSWORD } from '#test/fixtures/cloud.ts';
import { hireFor, linkSensor } from '#test/fixtures/home.ts';
import { logInForJobs } from '#test/fixtures/logged-in-for-jobs.ts';

const { all, logIn, exportsOf, erasuresOf } = logInForJobs();
/** Advances the clock while a command waits. */
const pause = () => all.world.pass(60_000);

describe('invalid usage', () => {
  test.each([
    '',
    '--sensor a',
    '--reason x',
    '--sensor a --user 1 --reason x',
    '--user b --reason x',
    '--sensor a --reason=',
    '--job a --sensor b',
    '--job a --reason b',
    '--customer 1 --of-customer 1 --reason x',
    '--password x',
  ])('export and erase reject the options "%s"', async (args) => {
    for (const name of ['export', 'erase'])
      expect(await all.home.run(`${name} ${args}`.trim())).toMatchObject({ code: 2, out: '' });
  });

  test('erase refuses to run without a terminal unless --yes confirms it', async () => {
    const refused = await all.home.run(`erase --sensor ${all.elm.sensorId} --reason asked`, {
      isTerminal: false,
      answers: [all.elm.password, all.elm.password],
    });
    expect(refused).toMatchObject({ code: 2, out: '', err: expect.stringMatching(/^there is no terminal .* --yes\n/) });
    expect(await erasuresOf()).toEqual([]);
  });

  test("erase --wait is rejected if the erasure would end the caller's own access", async () => {
    for (const own of ['--user me', `--user ${all.elm.userId}`, `--customer ${all.elm.customerId}`])
      expect(
        await all.home.run(`erase ${own} --reason asked --yes --wait`, { answers: [all.elm.password] }),
      ).toMatchObject({
        code: 2,
        err: expect.stringMatching(/^this erasure ends your own access/),
      });
    expect(await erasuresOf()).toEqual([]);
  });
});

describe('erase', () => {
  test('erases nothing and does not ask for a password if the typed name does not match', async () => {
    for (const [subject, name] of [
      [`--sensor ${all.elm.sensorId}`, all.elm.sensorId],
      ['--user me', String(all.elm.userId)],
      [`--customer ${all.elm.customerId}`, 'linden'],
    ] as const) {
      const refused = await all.home.run(`erase ${subject} --reason asked`, { answers: [name] });
      expect(refused).toMatchObject({
        code: 1,
        out: '',
        err: expect.stringMatching(/\nNothing was erased: you did not type .*\.$/),
      });
    }
    expect(await erasuresOf()).toEqual([]);
  });

  test('immediately hides a sensor from all users, and prints the certificate after 16 minutes', async () => {
    const { name } = await all.elm.client.ok<{ name: string }>('GET', `/sensors/${all.elm.sensorId}`);
    await all.elm.fall();
    const args = `erase --sensor ${all.elm.sensorId} --reason asked`;
    const started = await all.home.run(args, { answers: [name, all.elm.password] });
    const [, id] = /^Erasure (\S+) started\. .*16 minutes.*`sensor-cloud erase --job \1`\.$/.exec(started.out) ?? [];
    expect([started.code, id]).toEqual([0, expect.any(String)]);
    expect((await all.elm.client.call('GET', `/sensors/${all.elm.sensorId}`)).status).toBe(404);
    const running = await all.home.run(`erase --job ${id}`, { isTerminal: false });
    expect(running).toMatchObject({ code: 0, err: '' });
    expect(running.out).toMatch(/: running, takes at least 16 minutes\nof the sensor .*\nreason: asked(\n|$)/);
    expect(running.out).not.toContain('REMAINS');
    const waited = await all.home.run(`erase --job ${id} --wait`, { pause });
    expect(waited.out).toMatch(/: completed .*Z\n.*\n.*\n\nERASED +COUNT\n(.*\n)*sensor +1\n(.*\n)*\nREMAINS +UNTIL\n/);
    expect(waited.out).toMatch(/\nbackups +(\d{4}-|until the operator).*\n.*\n.*\nthe list of erasures.* \d{4}-.*Z$/);
    const certificate = JSON.parse((await all.home.run(`erase --job ${id} --json`)).out);
    expect(certificate).toMatchObject({ id, state: 'completed', counts: { sensor: 1 } });
    expect(certificate.remains).toHaveLength(4);
  });

  test('erase --wait --json prints only the certificate, even for an already deleted user', async () => {
    const { id, username } = await hireFor(all.elm.admin, all.elm.customerId, `former-${all.elm.customerId}`);
    expect((await all.home.run(`erase --user ${id} --reason asked`, { answers: ['wrong'] })).err).toContain(username);
    await all.elm.client.ok('DELETE', `/users/${id}`);
    const { code, out, err } = await all.home.run(`erase --user ${id} --reason asked --wait --json`, {
      answers: [String(id), all.elm.password],
      pause,
    });
    expect([code, JSON.parse(out)]).toEqual([
      0,
      expect.objectContaining({ state: 'completed', subject: { kind: 'user', id } }),
    ]);
    expect(err).toMatch(/^Erasure \S+ started\./m);
  });
});

test('system admins can get job results with the printed commands', async () => {
  const password = ADMIN_PASSWORD;
  await logIn({ username: 'admin', password });
  const erasing = `erase --sensor ${all.elm.sensorId} --reason asked --yes`;
  expect(await all.home.run(erasing)).toMatchObject({ code: 2, err: expect.stringContaining('--of-customer ID') });
  for (const [begin, of] of [
    ['export --user me --reason asked --no-wait', 0],
    [`export --customer ${all.elm.customerId} --reason asked --no-wait`, all.elm.customerId],
    [`${erasing} --of-customer ${all.elm.customerId}`, all.elm.customerId],
  ] as const) {
    const { out } = await all.home.run(begin, { answers: [password] });
    const [, later = ''] = /`sensor-cloud (.*)`\.$/.exec(out) ?? [];
    expect(later).toMatch(new RegExp(`^(export|erase) --job \\S+ --of-customer ${of}$`));
    expect(await all.home.run(`${later}${later.startsWith('export') ? ' --no-wait' : ''}`)).toMatchObject({ code: 0 });
  }
  await all.world.idle();
});

test("another customer's jobs and subjects are not found", async () => {
  const theirs = await all.world.furnish();
  const [, sensor] = [
    await all.home.run(`export --sensor ${all.elm.sensorId} --reason asked --no-wait`, { answers: [all.elm.password] }),
    await linkSensor(theirs.client),
  ];
  const [job] = await exportsOf();
  const erased = await all.home.run(`erase --sensor ${all.elm.sensorId} --reason asked --yes --json`, {
    answers: [all.elm.password],
  });
  await logIn(theirs);
  for (const more of ['', ` --of-customer ${all.elm.customerId}`])
    for (const args of [`export --job ${job?.id}`, `erase --job ${JSON.parse(erased.out).id}`])
      expect(await all.home.run(args + more)).toMatchObject({
        code: 1,
        out: '',
        err: expect.stringMatching(/\(404\)\.$/),
      });
  await logIn(all.elm);
  const args = `erase --sensor ${sensor.sensorId} --reason asked --yes`;
  expect(await all.home.run(args, { answers: [all.elm.password] })).toMatchObject({
    code: 1,
    err: expect.stringMatching(/\(404\)\.$/),
  });
  await all.world.idle();
});
