import { type Call, Reply } from '#shared/api/operation.ts';
import { serve } from '#shared/api/serve.ts';
import { EVENT_RETENTION } from '#shared/domain/event/event.ts';
import type { Feedback } from '#shared/domain/event/feedback.ts';
import type { Report } from '#shared/domain/rule/report.ts';
import { reportMonths } from '#shared/domain/rule/report-figures.ts';
import { dayAfterEnd, firstDay, lastDay, monthAfter, monthOf, monthParts } from '#shared/domain/time/calendar.ts';
import type { Deps } from '#shared/runtime/deps.ts';
import { MAX_HITS, MAX_MONTHS, MAX_SENSORS, reports } from './contract.ts';
import { csvOf } from './csv.ts';

type Operations = typeof reports.operations;
type ReportCall = Pick<Call<Operations['getReport']>, 'customerId' | 'query' | 'fail' | 'refuse'>;
type ReportDeps = Deps<Operations['getReport']['uses'][number]>;

/** The number of sensors whose feedback is read concurrently. */
const BATCH_SIZE = 25;

/** Returns the feedback that names no rule hit. All other feedback is stored with the hit. */
const feedbackWithoutHit = async (
  { fail, customerId }: ReportCall,
  { store }: ReportDeps,
  sensorIds: readonly string[],
  since: number,
): Promise<Feedback[]> => {
  const found: Feedback[] = [];
  for (let at = 0; at < sensorIds.length; at += BATCH_SIZE) {
    const batch = sensorIds.slice(at, at + BATCH_SIZE);
    const lists = await Promise.all(batch.map((id) => store.reports.feedback(customerId, id, since)));
    for (const list of lists)
      found.push(...(list ?? fail('report_too_long')).filter(({ ruleHitId }) => ruleHitId === null));
  }
  return found;
};

const createReport = async (call: ReportCall, deps: ReportDeps): Promise<Report> => {
  const { customerId, query, fail, refuse } = call;
  const { store } = deps;
  const { timeZone } = (await store.customers.get(customerId)) ?? fail('customer_not_found');
  const now = deps.now();
  const { from = monthOf(now, timeZone), to = from } = query;
  const first = firstDay(from);
  const behind = dayAfterEnd(to);
  if (behind <= first) return refuse('to', 'minimum', { limit: from });
  const latest = monthAfter(first.slice(0, 7), MAX_MONTHS - 1);
  if (to.slice(0, 7) > latest) return refuse('to', 'maximum', { limit: latest });
  const since = now - EVENT_RETENTION;
  const parts = monthParts(first, behind, timeZone)
    .filter((part) => part.to > since && part.from <= now)
    .map((part) => {
      const counted = { ...part, from: Math.max(part.from, since) };
      const whole = monthParts(firstDay(part.month), dayAfterEnd(part.month), timeZone)[0];
      return { ...counted, isWhole: counted.from === whole?.from && counted.to === whole.to && counted.to <= now };
    });
  const header = { timeZone, from: first, to: lastDay(to) };
  const start = parts[0]?.from;
  const end = parts.at(-1)?.to;
  if (start === undefined || end === undefined) return { ...header, months: [] };
  const sensors = await store.sensors.list(customerId);
  if (sensors.length > MAX_SENSORS) return fail('report_too_long');
  const [ofRules, others] = await Promise.all([
    store.reports.hits(customerId, start, end, MAX_HITS),
    store.reports.fallsWithoutRule(customerId, start, end, MAX_HITS),
  ]);
  if (!ofRules || !others || ofRules.length + others.length > MAX_HITS) return fail('report_too_long');
  const hits = [...ofRules, ...others].toSorted((hit, other) => hit.createDate - other.createDate);
  const ids = sensors.map(({ id }) => id);
  const loose = await feedbackWithoutHit(call, deps, ids, start);
  return {
    ...header,
    months: reportMonths({ parts, timeZone, hits, unlinkedFeedback: loose, sensors, now: end > now ? now : null }),
  };
};

export const handler = serve(reports, {
  getReport: (call, deps) => createReport(call, deps),

  downloadReport: async (call, deps) => {
    const report = await createReport(call, deps);
    const name = `report-${call.customerId}-${report.from}-${report.to}.csv`;
    return new Reply(csvOf(report), { headers: { 'Content-Disposition': `attachment; filename="${name}"` } });
  },
});
