import { Chip, Group } from '@mantine/core';

export type ChipOption = {
  value: string;
  label: string;
  /** How many entries the chip stands for, if known. */
  count?: string | undefined;
  /** The color for a count that needs attention. */
  tone?: 'red' | 'blue' | 'amber' | undefined;
};

type ChipsProps = { label: string; options: readonly ChipOption[]; value: string; onChange: (value: string) => void };

/** A list summary: each chip counts entries, and filters the list by them. */
export const Chips = ({ label, options, value, onChange }: ChipsProps) => (
  <Chip.Group value={value} onChange={onChange}>
    <Group gap="xs" role="radiogroup" aria-label={label} className="chips">
      {options.map(({ value: option, label: name, count, tone }) => (
        <Chip key={option} value={option} variant="outline" size="md" radius="sm">
          {count !== undefined && <b className={tone}>{count}</b>} {name}
        </Chip>
      ))}
    </Group>
  </Chip.Group>
);
