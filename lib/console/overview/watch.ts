import { type UseQueryResult, useQuery } from '@tanstack/react-query';
import type { Rule, Sensor, Webhook } from 'openapi';
import { dutyQuery } from '../account/queries.ts';
import { useMay } from '../session/session.tsx';
import { isOfFalls, SLOWLY, sensorsQuery, silentQuery, watchRulesQuery, webhooksQuery } from './watched.ts';

/** A part of what has to be known before a home is called watched. */
type Part = 'sensors' | 'rules' | 'webhooks' | 'duty';

/** How far the falls of a home are watched. What is not known is undefined. */
export type Watch = {
  sensors: number | undefined;
  /** Sensors that nothing has been heard of for too long: how many, and the first by name. */
  silent: { total: number; first: readonly Sensor[] } | undefined;
  /** Where rules that are switched on tell of falls: at all sensors at any time, at some of them or at times, or nowhere. */
  fallsTold: 'all' | 'some' | 'none' | undefined;
  /** The rules of falls that reach nobody. */
  unheard: readonly Rule[] | undefined;
  /** A rule of falls tells whoever is on duty, and nobody is. */
  nobodyOnDuty: boolean | undefined;
  /** What could not be read. */
  unread: readonly Part[];
  /** May the user see whether receivers of rules work? */
  seesReceivers: boolean;
  /** When the oldest of it was read (ms); 0 before anything was. */
  readAt: number;
};

const isForAll = ({ sensorId, sensorGroupId, schedule }: Rule): boolean =>
  sensorId === null && sensorGroupId === null && schedule === null;
const toldBy = (rules: readonly Rule[]): Watch['fallsTold'] =>
  rules.some(isForAll) ? 'all' : rules.length > 0 ? 'some' : 'none';

/** Is a webhook off, or did its last call fail? */
const isFailing = ({ isEnabled, health }: Webhook): boolean => !isEnabled || health.consecutiveFailures > 0;

/** The rules that name no person and whose receivers all fail. A webhook that is gone hears nothing. */
const unheardOf = (rules: readonly Rule[], webhooks: readonly Webhook[]): Rule[] => {
  const well = new Set(webhooks.filter((webhook) => !isFailing(webhook)).map(({ id }) => id));
  return rules.filter(
    ({ recipients }) => !recipients.some((recipient) => 'by' in recipient || well.has(recipient.webhookId)),
  );
};

/** Is something certainly not watched? */
export const hasGap = ({ silent, fallsTold, unheard, nobodyOnDuty = false }: Watch): boolean =>
  (silent?.total ?? 0) > 0 || fallsTold === 'none' || (unheard?.length ?? 0) > 0 || nobodyOnDuty;
/** Is everything certainly watched? Rules for parts of a home may cover all of it, or not. */
export const isWhole = (watch: Watch): boolean =>
  !hasGap(watch) &&
  watch.fallsTold === 'all' &&
  [watch.silent, watch.unheard, watch.nobodyOnDuty].every((part) => part !== undefined);

const isUnread = ({ isError, data }: UseQueryResult): boolean => isError && data === undefined;

/** What of a home is not watched. Of receivers only those know who manage bots. */
export const useWatch = (customerId: number): Watch => {
  const seesReceivers = useMay()('manage_bots');
  const sensors = useQuery(sensorsQuery(customerId));
  const silent = useQuery(silentQuery(customerId));
  const rules = useQuery(watchRulesQuery(customerId));
  const webhooks = useQuery({ ...webhooksQuery(customerId), enabled: seesReceivers });
  const told = rules.data?.wanted.filter(isOfFalls);
  const asksDuty = told?.some(({ recipients }) => recipients.some((recipient) => 'onDuty' in recipient)) ?? false;
  const duty = useQuery({ ...dutyQuery(customerId), refetchInterval: SLOWLY, enabled: asksDuty });
  const parts = { sensors: [sensors, silent], rules: [rules], webhooks: [webhooks], duty: [duty] };
  const read = [sensors, silent, rules, webhooks].filter(({ data }) => data !== undefined);
  return {
    sensors: sensors.data,
    silent: silent.data,
    fallsTold: told && toldBy(told),
    unheard: told && webhooks.data && unheardOf(told, webhooks.data),
    nobodyOnDuty: asksDuty ? duty.data && duty.data.length === 0 : told && false,
    unread: (Object.keys(parts) as Part[]).filter((part) => parts[part].some(isUnread)),
    seesReceivers,
    readAt: read.length === 0 ? 0 : Math.min(...read.map(({ dataUpdatedAt }) => dataUpdatedAt)),
  };
};
