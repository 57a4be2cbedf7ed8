import { Select } from '@mantine/core';
import { useTexts } from '../texts/texts.tsx';

const zones = Intl.supportedValuesOf('timeZone');
export const browserZone = Intl.DateTimeFormat().resolvedOptions().timeZone;

type ZoneSelectProps = {
  description?: string;
  value: string;
  onChange: (timeZone: string) => void;
  error?: string | undefined;
};

/** A select for choosing a time zone by its IANA name. */
export const ZoneSelect = ({ value, onChange, ...rest }: ZoneSelectProps) => {
  const { rules: texts } = useTexts();
  return (
    <Select
      {...rest}
      label={texts.zone}
      data={zones.includes(value) ? zones : [value, ...zones]}
      value={value}
      onChange={(timeZone) => timeZone && onChange(timeZone)}
      searchable
      limit={50}
    />
  );
};
