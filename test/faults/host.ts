import type { Runtime } from '../../shared/deps.ts';
import type { Settings } from '../../shared/env.ts';
import type { Bell } from '../../shared/queue/bell.ts';
import { TableUnavailable } from '../../shared/store/unavailable.ts';
import type { Chaos } from './chaos.ts';
import { ofOtherVersion, otherItem, poisons } from './versions.ts';

class Died extends Error {
  override name = 'Died';
}

type Table = Runtime['table'];

const flaky = ({ rates, strikes }: Chaos, table: Table): Table => {
  const wrapped =
    <A extends unknown[], R>(call: (...given: A) => Promise<R>) =>
    async (...given: A): Promise<R> => {
      if (strikes(rates().refusal)) throw new TableUnavailable('throttled');
      const answer = await call(...given);
      if (strikes(rates().lostAnswer)) throw new TableUnavailable('the answer was lost');
      return answer;
    };
  const all = Object.entries(table).map(([name, call]) => [name, wrapped(call as never)]);
  return Object.fromEntries(all) as Table;
};

/** Puts items as a process of another version does. */
const ofVersions = (chaos: Chaos, table: Table): Table => ({
  ...table,
  write: (...writes) =>
    table.write(
      ...writes.map((write) =>
        'put' in write && chaos.strikes(chaos.rates().otherVersion)
          ? { ...write, put: otherItem(write.put, chaos.chance()) }
          : write,
      ),
    ),
});

const unreliable =
  ({ rates, strikes, chance }: Chaos, send: Runtime['send']): Runtime['send'] =>
  async (queue, bells) => {
    const { lostBell, lateBell, doubleBell, poison, otherVersion } = rates();
    for (const bell of bells) {
      if (strikes(poison)) await send(queue, [{ ...bell, body: poisons[Math.floor(chance() * poisons.length)] ?? '' }]);
      if (strikes(lostBell)) continue;
      const late = strikes(lateBell) ? Math.ceil(chance() * 60) : 0;
      const body = strikes(otherVersion) ? ofOtherVersion(bell.body, chance()) : bell.body;
      const copies = strikes(doubleBell) ? 2 : 1;
      const copy = (at: number): Bell => ({
        ...bell,
        body,
        delaySeconds: Math.min(900, bell.delaySeconds + late * at),
      });
      for (let at = 1; at <= copies; at++) await send(queue, [copy(at)]);
    }
  };

/** A host on which goes wrong what `chaos` says; `settings` are read at each use. */
export const failingHost =
  (chaos: Chaos, callee: Runtime['callee'], settings: () => Partial<Settings>) =>
  (runtime: Runtime): Runtime => ({
    ...runtime,
    callee,
    settings: new Proxy(runtime.settings, { get: (all, name) => ({ ...all, ...settings() })[name as keyof Settings] }),
    table: flaky(chaos, ofVersions(chaos, runtime.table)),
    send: unreliable(chaos, runtime.send),
    now: () => runtime.now() + chaos.skew(),
    crashpoint: (place) => {
      const { crashes, crash } = chaos.rates();
      if (crashes?.includes(place) && chaos.strikes(crash)) throw new Died(`at ${place}`);
    },
  });
