import { Alert, Anchor, List, Text } from '@mantine/core';
import { Link } from 'wouter';
import type { Watch } from '#openapi';
import { useTexts } from '../texts/texts.tsx';
import { NameLink } from '../ui/name.tsx';
import { hasGap } from './watch-queries.ts';

const OfflineSensors = ({ watch: { silentSensors, sensors } }: { watch: Watch }) => {
  const { total, first } = silentSensors;
  const { overview: texts } = useTexts();
  return (
    <List.Item>
      <Anchor component={Link} href="/sensors?state=inactive">
        {texts.offlineRooms(total, Math.max(total, sensors))}
      </Anchor>
      <ul className="names">
        {first.map(({ id, name }) => (
          <li key={id}>
            <NameLink href={`/sensors/${id}`}>{name}</NameLink>
          </li>
        ))}
        {total > first.length && <li>{texts.andMore(total - first.length)}</li>}
      </ul>
    </List.Item>
  );
};

const UnreachableRules = ({ rules }: { rules: Watch['unheardRules'] }) => {
  const { overview: texts } = useTexts();
  return rules.map(({ id, name }) => (
    <List.Item key={id}>
      <NameLink href={`/rules/${id}`}>{name}</NameLink>
      <Text>{texts.ruleReachesNobody}</Text>
    </List.Item>
  ));
};

/** Lists what is not watched, where a fall would go unnoticed. Shows nothing while there are no sensors. */
export const Unwatched = ({ watch }: { watch: Watch }) => {
  const { overview: texts } = useTexts();
  const { sensors, silentSensors, fallsTold, unheardRules, isNobodyOnDuty } = watch;
  if (sensors === 0 || !hasGap(watch)) return null;
  return (
    <section aria-label={texts.unwatched}>
      <Alert color="red" variant="filled" role="note" title={texts.unwatched} className="unwatched">
        <List>
          {silentSensors.total > 0 && <OfflineSensors watch={watch} />}
          {fallsTold === 'none' && (
            <List.Item>
              <Anchor component={Link} href="/rules/new">
                {texts.noFallRule}
              </Anchor>
            </List.Item>
          )}
          {isNobodyOnDuty && (
            <List.Item>
              <Anchor component={Link} href="/account/channels">
                {texts.nobodyOnDuty}
              </Anchor>
            </List.Item>
          )}
          <UnreachableRules rules={unheardRules} />
        </List>
      </Alert>
    </section>
  );
};
