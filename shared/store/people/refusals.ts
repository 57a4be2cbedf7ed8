import type { StoredAuditEntry } from '#shared/domain/identity/audit.ts';
import { AUDIT_RETENTION } from '#shared/domain/identity/audit-kinds.ts';
import type { Table } from '../engine/client.ts';
import { absent, changes, present, type Write, where } from '../engine/request.ts';
import { rateKey } from '../identity/limits.ts';
import { items } from '../table.ts';

/** How long (s) equal refusals share a line. */
const WINDOW_SECONDS = 60;
/** How many different refusals per actor get their own lines in that time. All further refusals share one more line. */
const MAX_LINES = 10;

/** Whose request was refused. */
type RefusedActor = { customerId: number; actor: string };
/** The line for equal refusals that began at `start` (ms). */
type Group = { start: number; lineId: string };
/** How many lines an actor has caused since `start` (ms). */
type Lines = { start: number; lines: number };

/** The lines for refused requests: few, however many requests an actor makes. */
const refusalWrites = (table: Table) => {
  /** Adds a refusal to the current line for a group. If there is no current line, returns the stored group, or null. */
  const addTo = async (customerId: number, name: string, now: number): Promise<'added' | Group | null> => {
    const group = await table.get<Group>(rateKey(name, 'refused'));
    if (!group || !isCurrent(group, now)) return group;
    const key = items.auditLine({ customerId, lineId: group.lineId });
    const added = await table.update(key, changes({ add: { count: 1 }, if: present }));
    return added === null ? group : 'added';
  };

  /** Returns the writes for a new line. They all fail if another request has changed what was read. */
  const newLine = (
    { customerId }: RefusedActor,
    line: StoredAuditEntry,
    { names, group, lines }: { names: { group: string; lines: string }; group: Group | null; lines: Lines | null },
    now: number,
  ): Write[] => {
    const ttl = Math.ceil(now / 1_000) + WINDOW_SECONDS;
    const sameGroup = group ? where('#lineId = :seen', { seen: group.lineId }) : absent;
    const sameLines = lines
      ? where('#start = :since AND #lines = :count', { since: lines.start, count: lines.lines })
      : absent;
    const isRunning = lines !== null && isCurrent(lines, now);
    const counted = isRunning ? { ...lines, lines: lines.lines + 1 } : { start: now, lines: 1, ttl };
    const kept = Math.ceil((now + AUDIT_RETENTION) / 1_000);
    return [
      { put: { start: now, lineId: line.id, ttl, ...rateKey(names.group, 'refused') }, where: sameGroup },
      { put: { ttl, ...counted, ...rateKey(names.lines, 'refused') }, where: sameLines },
      { put: { ...line, count: 1, ...items.auditLine({ customerId, lineId: line.id }), ttl: kept } },
    ];
  };

  return {
    /** Records a refused request: in a new line, or by adding to the count on a line from the last minute. */
    record: async (who: RefusedActor, line: StoredAuditEntry, now: number): Promise<void> => {
      const { customerId, actor } = who;
      const all = `refused:${customerId}:${actor}`;
      const own = JSON.stringify([all, line.operation, line.object]);
      for (;;) {
        const lines = await table.get<Lines>(rateKey(`${all}:lines`, 'refused'));
        const isFull = lines !== null && isCurrent(lines, now) && lines.lines >= MAX_LINES;
        const equal = await addTo(customerId, own, now);
        const group = isFull && equal !== 'added' ? await addTo(customerId, all, now) : equal;
        if (group === 'added') return;
        const names = { group: isFull ? all : own, lines: `${all}:lines` };
        if ((await table.write(...newLine(who, line, { names, group, lines }, now))) === null) return;
      }
    },
  };
};

const isCurrent = ({ start }: { start: number }, now: number): boolean => start > now - WINDOW_SECONDS * 1_000;

export const refusals = (table: Table) => refusalWrites(table);
