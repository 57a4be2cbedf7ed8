import { createTheme, type VariantColorsResolver } from '@mantine/core';

/** The state colors for filled and pale parts. */
const states: Readonly<Record<string, { fill: string; onFill: string; tint: string; onTint: string }>> = {
  // Red is reserved for alarms, so failures are amber.
  red: { fill: 'var(--amber)', onFill: 'var(--on-amber)', tint: 'var(--amber-tint)', onTint: 'var(--ink)' },
  yellow: { fill: 'var(--amber-tint)', onFill: 'var(--amber-ink)', tint: 'var(--amber-tint)', onTint: 'var(--ink)' },
  orange: { fill: 'var(--amber-tint)', onFill: 'var(--amber-ink)', tint: 'var(--amber-tint)', onTint: 'var(--ink)' },
  green: {
    fill: 'var(--green-tint)',
    onFill: 'var(--green-ink)',
    tint: 'var(--green-tint)',
    onTint: 'var(--green-ink)',
  },
  cyan: { fill: 'var(--sunken)', onFill: 'var(--ink)', tint: 'var(--sunken)', onTint: 'var(--ink)' },
  gray: { fill: 'var(--sunken)', onFill: 'var(--ink-2)', tint: 'var(--sunken)', onTint: 'var(--ink-2)' },
};
const ink = { fill: 'var(--ink)', onFill: 'var(--on-ink)', tint: 'var(--sunken)', onTint: 'var(--ink)' };

const LINE = '1px solid var(--line-strong)';
const NO_LINE = '1px solid transparent';

/** Returns the colors for a library component. Only states have a color; buttons are ink. */
const variantColorResolver: VariantColorsResolver = ({ color, variant }) => {
  const { fill, onFill, tint, onTint } = states[color ?? ''] ?? ink;
  if (variant === 'filled')
    return { background: fill, hover: fill === ink.fill ? 'var(--ink-2)' : fill, color: onFill, border: NO_LINE };
  if (variant === 'light') return { background: tint, hover: tint, color: onTint, border: NO_LINE };
  if (variant === 'default' || variant === 'outline')
    return { background: 'var(--surface)', hover: 'var(--sunken)', color: 'var(--ink)', border: LINE };
  if (variant === 'white') return { background: '#fff', hover: 'var(--red-tint)', color: '#8c0d13', border: NO_LINE };
  return { background: 'transparent', hover: 'var(--sunken)', color: 'var(--ink)', border: NO_LINE };
};

/** The library theme. Its colors and sizes are tokens set in theme.css. */
export const theme = createTheme({ respectReducedMotion: true, primaryColor: 'dark', variantColorResolver });
