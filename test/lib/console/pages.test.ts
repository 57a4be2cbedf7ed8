import { describe, expect, test } from 'vitest';
import { deliveries } from '#lib/console/texts/deliveries-en.ts';
import { en } from '#lib/console/texts/en.ts';
import { imports } from '#lib/console/texts/imports-en.ts';
import { pages, renderConnectionLost, renderPage, renderSessionOver } from '#test/fixtures/console-pages.ts';

const MESSAGE = 'The service is out of order.';
const failing = () => Response.json({ message: MESSAGE, statusCode: 500 }, { status: 500 });
const unreachable = (): Response => {
  throw new TypeError('fetch failed');
};

const watch = {
  date: 1_795_240_000_000,
  sensors: 0,
  silentSensors: { total: 0, first: [] },
  rules: 0,
  fallsTold: 'none',
  isSilenceTold: false,
  gaps: [],
  names: { sensors: {}, rules: {}, webhooks: {}, users: {} },
  unheardRules: [],
  isNobodyOnDuty: false,
  troubles: [],
};
/** Responses for an empty home. */
const empty = (path: string): Response => {
  if (path.endsWith('/station'))
    return Response.json({ openFalls: [], sensorsWithFalls: 0, hits: [], watch, onDuty: [] });
  if (path.endsWith('/sensor-groups')) return Response.json([]);
  return Response.json([{ total: 0, page: 0, perPage: 50, data: [] }]);
};

/** Pages without requests, and pages that are only for system admins. */
const withoutCalls = ['/imports', '/customers/:customerId', '/provisioning-keys', '/firmwares'];
const reading = pages.map(({ path }) => path).filter((path) => !withoutCalls.includes(path));
const at = (path: string): string => path.replaceAll(/:\w+/g, '1');

describe('a page whose requests fail', () => {
  test.each(reading)(
    'explains the failure in a sentence, offers to try again, and keeps the navigation: %s',
    async (path) => {
      const { alerts, hasNavigation } = await renderPage(at(path), failing);
      expect(hasNavigation).toBe(true);
      expect(alerts.length).toBeGreaterThan(0);
      for (const alert of alerts) expect(alert).toContain(`${en.failed} ${MESSAGE} ${en.tryAgain}`);
    },
  );

  test.each(reading)('reports that the service does not respond when it cannot be reached: %s', async (path) => {
    const { alerts, hasNavigation } = await renderPage(at(path), unreachable);
    expect(hasNavigation).toBe(true);
    expect(alerts.join()).toContain(en.noAnswer);
  });

  test.each([
    ['/groups', en.groups.empty],
    ['/rules', en.rules.empty],
    ['/deliveries', deliveries.none[1]],
  ])('keeps the previous content and states how old it is: %s', async (path, shown) => {
    const { text, alerts } = await renderPage(path, empty, failing);
    expect(alerts).toEqual([]);
    expect(text).toContain('Not up to date. Last updated');
    expect(text).toContain(shown);
  });
});

describe('a page without data', () => {
  test.each([
    ['/', en.overview.noRooms],
    ['/alarms', 'No alarms in this period.'],
    ['/sensors', en.sensors.empty],
    ['/groups', en.groups.empty],
    ['/rules', en.rules.empty],
    ['/bots', en.bots.empty],
    ['/webhooks', 'No webhooks yet.'],
    ['/deliveries', deliveries.none[1]],
    ['/deliveries?days=30', deliveries.none[30]],
    ['/deliveries/1?state=failed', deliveries.noMatch],
    ['/audit', 'No entries found.'],
  ])('states in a sentence that there is no data: %s', async (path, sentence) => {
    const { text, alerts } = await renderPage(path, empty);
    expect(text).toContain(sentence);
    expect(alerts).toEqual([]);
  });

  test('the station shows the steps to set up the first alarm, with an alarm preview', async () => {
    const { text } = await renderPage('/', empty);
    expect(text).toContain(en.checklist.title);
    expect(text).toContain(`${en.checklist.preview} Room 106 Fall. Nobody is on it. south wing`);
  });
});

describe('an import that has ended', () => {
  const job = { id: '0'.repeat(26), kind: 'rules', createDate: 1, updateDate: 2, rows: 7, created: 5, updated: 2 };
  const renderImport = (state: string, errors: object[] = []) =>
    renderPage(`/imports?kind=rules&import=${job.id}`, (path) =>
      path.includes('/imports/') ? Response.json({ ...job, state, errors }) : empty(path),
    );

  test('an import counts as completed only if all rows were imported', async () => {
    const { text } = await renderImport('completed');
    for (const shown of [imports.completed, `${imports.done.created} 5`, imports.another])
      expect(text).toContain(shown);
    expect(text).not.toContain(imports.unfinished);
  });

  test('an import names the rows that could not be imported', async () => {
    const { text } = await renderImport('failed', [{ row: 3, field: 'name', message: 'was changed since' }]);
    for (const shown of [imports.failed, imports.failedHint, '3 name was changed since']) expect(text).toContain(shown);
    for (const claim of [imports.completed, imports.unfinished]) expect(text).not.toContain(claim);
  });

  test('an import that was not finished says so, and what to do', async () => {
    const { text } = await renderImport('failed');
    for (const shown of [imports.unfinished, imports.unfinishedHint, imports.another]) expect(text).toContain(shown);
    for (const claim of [imports.completed, imports.failed, `${imports.done.created} 5`])
      expect(text).not.toContain(claim);
  });
});

describe('a screen that watches nothing', () => {
  const row = (kind: string, name: string) => ({ kind, name, sensorId: name, items: [] });

  test('names the rooms to check, and what to do when the connection is lost', async () => {
    const { text, alerts } = await renderConnectionLost({
      rows: [row('open', 'Room 106, south wing'), row('mine', 'Room 118'), row('theirs', 'Room 211')],
      connection: { at: 1_795_240_000_000 },
    });
    expect(alerts.join()).toContain(en.notWatched.title);
    expect(text).toContain(en.notWatched.lookInto('106, 118'));
    expect(text).toContain('Last update:');
    for (const word of [en.notWatched.keepPhone, en.notWatched.rounds, en.tryAgain, en.notWatched.quiet])
      expect(text).toContain(word);
  });

  test('does not claim anything about rooms it never loaded', async () => {
    const { text } = await renderConnectionLost({ rows: [], connection: { at: 0 } });
    expect(text).toContain(en.notWatched.nothingKnown);
    expect(text).not.toContain('Check on');
  });

  test('shows the login form when the session has ended', async () => {
    const { text, alerts } = await renderSessionOver(1_795_240_000_000);
    expect(alerts.join()).toContain(en.notWatched.title);
    for (const word of [en.notWatched.sessionOver, en.login.username, en.login.password, en.login.goOn])
      expect(text).toContain(word);
  });
});
