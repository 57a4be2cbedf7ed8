import { Anchor, Badge, Text } from '@mantine/core';
import type { UseQueryResult } from '@tanstack/react-query';
import { Link } from 'wouter';
import type { AuditLine } from '#openapi';
import { useDeliveryTexts } from '../deliveries/texts.ts';
import { useDates, useTexts } from '../texts/texts.tsx';
import { List, type Paged } from '../ui/list.tsx';
import { Name } from '../ui/name.tsx';
import type { FilterProps } from './filter.ts';
import { type AuditTexts, useAuditTexts } from './texts.ts';

/** The page for each object kind that has one. */
const pages: Partial<Record<AuditLine['object']['kind'], string>> = {
  sensor: '/sensors',
  user: '/users',
  rule: '/rules',
  webhook: '/webhooks',
  sensor_group: '/groups',
};
const verbs = [
  [/^(create|register|link)/, 'created'],
  [/^(delete|end|withdraw|cancel)/, 'deleted'],
  [/^(get|list)/, 'read'],
  [/^login$/, 'loggedIn'],
  [/^logout$/, 'loggedOut'],
] as const;
/** Returns the verb for an operation. The operation name is shown beside it. */
const verbOf = (operation: string, texts: AuditTexts): string =>
  texts.verbs[verbs.find(([pattern]) => pattern.test(operation))?.[1] ?? 'changed'];

const AuditedObject = ({ object: { kind, id, name } }: AuditLine) => {
  const texts = useAuditTexts();
  const page = pages[kind];
  const label = `${texts.kinds[kind]} ${name ? `${name} (${id})` : id}`;
  if (page === undefined) return <Name>{label}</Name>;
  return (
    <Anchor component={Link} href={`${page}/${id}`} inherit>
      <Name>{label}</Name>
    </Anchor>
  );
};

const Actor = ({ actor, onActor }: { actor: AuditLine['actor']; onActor: (id: string) => void }) => {
  const texts = useAuditTexts();
  const { id, kind } = actor;
  const name = `${texts.actors[kind]} ${actor.name ?? id ?? ''}`.trim();
  if (id === null) return <Name>{name}</Name>;
  return (
    <Anchor component="button" type="button" inherit onClick={() => onActor(id)}>
      <Name>{name}</Name>
    </Anchor>
  );
};

const valueText = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

/** The fields set by a request, with the known values. */
const Fields = ({ changes, details }: AuditLine) => (
  <>
    {changes.map((field) => {
      const detail = details.find((known) => known.field === field);
      const values = detail && `: ${valueText(detail.from)} → ${valueText(detail.to)}`;
      return (
        <Text key={field} size="sm">
          <Name>{`${field}${values ?? ''}`}</Name>
        </Text>
      );
    })}
  </>
);

type RowsProps = Pick<FilterProps, 'change'> & { query: UseQueryResult<Paged<AuditLine>> };

/** The list of audit lines: time, actor, operation, object, and address. */
export const Rows = ({ query, change }: RowsProps) => {
  const texts = useTexts();
  const audit = useAuditTexts();
  const deliveries = useDeliveryTexts();
  const dates = useDates();
  return (
    <List<AuditLine>
      label={texts.changes}
      query={query}
      rowKey={({ id }) => id}
      empty={audit.empty}
      onPage={(page) => change({ page })}
      columns={[
        { head: deliveries.time, cell: ({ date }) => dates.exact(date) },
        { head: audit.who, cell: ({ actor }) => <Actor actor={actor} onActor={(id) => change({ actor: id })} /> },
        {
          head: audit.what,
          cell: ({ operation, refused, count = 1 }) => (
            <>
              {`${verbOf(operation, audit)} `}
              {refused && <Badge color="red">{count > 1 ? `${audit.refused} × ${count}` : audit.refused}</Badge>}
              <Text size="sm">{operation}</Text>
            </>
          ),
        },
        { head: audit.object, cell: (line) => <AuditedObject {...line} /> },
        { head: audit.fields, cell: (line) => <Fields {...line} />, isMinor: true },
        { head: audit.address, cell: ({ address }) => address, isMinor: true },
      ]}
    />
  );
};
