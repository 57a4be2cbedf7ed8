import { Alert, Anchor, List, Text } from '@mantine/core';
import { Link } from 'wouter';
import { useTexts } from '../texts/texts.tsx';
import { NameLink } from '../ui/name.tsx';
import { hasGap, type Watch } from './watch.ts';

const Silent = ({ silent: { total, first }, sensors }: { silent: NonNullable<Watch['silent']>; sensors: number }) => {
  const { overview: texts } = useTexts();
  return (
    <List.Item>
      <Anchor component={Link} href="/sensors?state=inactive">
        {texts.silent(total, Math.max(total, sensors))}
      </Anchor>
      <ul className="names">
        {first.map(({ id, name }) => (
          <li key={id}>
            <NameLink href={`/sensors/${id}`}>{name}</NameLink>
          </li>
        ))}
        {total > first.length && <li>{texts.further(total - first.length)}</li>}
      </ul>
    </List.Item>
  );
};

const Unheard = ({ rules }: { rules: NonNullable<Watch['unheard']> }) => {
  const { overview: texts } = useTexts();
  return rules.map(({ id, name }) => (
    <List.Item key={id}>
      <NameLink href={`/rules/${id}`}>{name}</NameLink>
      <Text>{texts.ruleUnheard}</Text>
    </List.Item>
  ));
};

/** Says in red what of a home is not watched: nobody would hear of a fall there. Nothing while there is no sensor yet. */
export const Unwatched = ({ watch }: { watch: Watch }) => {
  const { overview: texts } = useTexts();
  const { sensors = 0, silent, fallsTold, unheard, nobodyOnDuty } = watch;
  if (sensors === 0 || !hasGap(watch)) return null;
  return (
    <section aria-label={texts.unwatched}>
      <Alert color="red" variant="filled" role="note" title={texts.unwatched} className="unwatched">
        <List>
          {silent && silent.total > 0 && <Silent silent={silent} sensors={sensors} />}
          {fallsTold === 'none' && (
            <List.Item>
              <Anchor component={Link} href="/rules/new">
                {texts.noFallRule}
              </Anchor>
            </List.Item>
          )}
          {nobodyOnDuty && (
            <List.Item>
              <Anchor component={Link} href="/account/channels">
                {texts.nobodyOnDuty}
              </Anchor>
            </List.Item>
          )}
          {unheard && <Unheard rules={unheard} />}
        </List>
      </Alert>
    </section>
  );
};

/** Says in a line each what of the watch this page cannot know: because the user may not see it, or it could not be read. */
export const Unknown = ({ watch: { unread, seesReceivers, sensors } }: { watch: Watch }) => {
  const { overview: texts } = useTexts();
  const lines = [
    ...unread.map((part) => texts.unread(texts.parts[part])),
    ...(seesReceivers || sensors === 0 ? [] : [texts.receivers]),
  ];
  return lines.map((line) => <Text key={line} c="dimmed">{`${texts.unknown}: ${line}`}</Text>);
};
