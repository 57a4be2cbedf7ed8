import { Select, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import type { RuleUpdate } from '#openapi';
import { hasRegions } from '#shared/domain/kinds.ts';
import { useGroups } from '../groups/query.ts';
import { useTexts } from '../texts/texts.tsx';
import { Choice } from '../ui/choice.tsx';
import { SensorSelect } from '../ui/sensor-select.tsx';
import { useRoom } from './rule-summary.tsx';

type Kind = 'all' | 'group' | 'sensor';
type ScopeProps = {
  customerId: number;
  rule: RuleUpdate;
  onChange: (change: Partial<RuleUpdate>) => void;
  faultOf: (path: string) => string | undefined;
};

const kindOf = ({ sensorId, sensorGroupId }: RuleUpdate): Kind => {
  if (sensorId !== null) return 'sensor';
  return sensorGroupId !== null ? 'group' : 'all';
};

const Region = ({ rule, onChange, faultOf }: ScopeProps) => {
  const { rules: texts } = useTexts();
  const regions = useRoom(rule.sensorId).data?.regions ?? [];
  if (regions.length === 0) return <Text size="sm">{texts.noRegions}</Text>;
  return (
    <Select<string>
      label={texts.region}
      placeholder={texts.anyRegion}
      data={regions.map(({ id, name }) => ({ value: id, label: name }))}
      value={rule.regionId ?? null}
      onChange={(regionId) => onChange({ regionId })}
      clearable
      error={faultOf('regionId')}
    />
  );
};

const GroupSelect = ({ customerId, rule, onChange, faultOf }: ScopeProps) => {
  const { rules: texts } = useTexts();
  const groups = useGroups(customerId);
  return (
    <Select
      label={texts.group}
      required
      data={groups.data?.map(({ id, name }) => ({ value: String(id), label: name })) ?? []}
      value={rule.sensorGroupId === null ? null : String(rule.sensorGroupId)}
      onChange={(id) => onChange({ sensorGroupId: id === null ? null : Number(id) })}
      searchable
      error={faultOf('sensorGroupId')}
    />
  );
};

/** Fields for the sensors a rule watches: all, a group, or one sensor with an optional region in the room. */
export const Scope = (props: ScopeProps) => {
  const { customerId, rule, onChange, faultOf } = props;
  const { rules: texts } = useTexts();
  const [kind, setKind] = useState(kindOf(rule));
  const choose = (next: Kind) => {
    setKind(next);
    onChange({ sensorId: null, sensorGroupId: null, regionId: null });
  };
  return (
    <Stack gap="sm">
      <Choice label={texts.scope} options={texts.scopes} value={kind} onChange={choose} />
      {kind === 'group' && <GroupSelect {...props} />}
      {kind === 'sensor' && (
        <SensorSelect
          label={texts.sensor}
          customerId={customerId}
          value={rule.sensorId}
          onChange={(sensorId) => onChange({ sensorId, regionId: null })}
          error={faultOf('sensorId')}
        />
      )}
      {rule.sensorId !== null && hasRegions(rule.situation) && <Region {...props} />}
    </Stack>
  );
};
