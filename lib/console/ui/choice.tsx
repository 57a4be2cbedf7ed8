import { Input, SegmentedControl } from '@mantine/core';

type ChoiceProps<V extends string> = {
  label: string;
  /** The possible values with their labels. */
  options: Partial<Record<V, string>>;
  value: V;
  onChange: (value: V) => void;
  isVertical?: boolean;
};

/** A choice between a few values, all of them visible. */
export const Choice = <V extends string>({ label, options, value, onChange, isVertical = false }: ChoiceProps<V>) => (
  <Input.Wrapper label={label} labelElement="div">
    <SegmentedControl<V>
      aria-label={label}
      fullWidth
      orientation={isVertical ? 'vertical' : 'horizontal'}
      data={Object.entries<string | undefined>(options).map(([key, name]) => ({ value: key as V, label: name ?? key }))}
      value={value}
      onChange={onChange}
    />
  </Input.Wrapper>
);
