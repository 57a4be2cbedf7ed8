import { type Limits, MIN_REGION_SIDE, mountings, regionCounts } from './room-limits.ts';

const listed = (counts: Readonly<Record<string, number>>): string =>
  Object.entries(counts)
    .map(([name, most]) => `${most} \`${name}\``)
    .join(', ');

const rows = Object.entries(mountings).flatMap(([maker, byMounting]) =>
  Object.entries(byMounting).map(
    ([mounting, { x, y, height }]) => `| ${maker} | ${mounting} | ${x} | ${y} | ${height.min} to ${height.max} |`,
  ),
);
const regions = Object.entries(regionCounts).map(
  ([maker, { all, kinds }]) => `A ${maker} sensor has at most ${all} regions, of which at most ${listed(kinds)}.`,
);

/** The room and region limits by maker and mounting, for the API document. */
export const roomLimitsText = [
  "The limits depend on the sensor's maker and on `sensorMounting`. All lengths are in cm.",
  [
    '| maker | sensorMounting | largest xMin, xMax | largest yMax | sensorHeight |',
    '| --- | --- | ---: | ---: | ---: |',
    ...rows,
  ].join('\n'),
  'Mountings and region kinds not listed for a maker are rejected, and so is a `zMin` not below `zMax`.',
  regions.join(' '),
  'Both corners of a region must be inside the room: x from -xMin to xMax, y from -yMin to yMax. The first corner is ' +
    `above and to the left of the second, and no side is shorter than ${MIN_REGION_SIDE}.`,
].join('\n\n');

const allLimits: readonly Limits[] = Object.values(mountings).flatMap((byMounting) => Object.values(byMounting));
/** Bounds (cm) that hold for every maker and mounting. */
export const outerLimits = {
  x: Math.max(...allLimits.map(({ x }) => x)),
  y: Math.max(...allLimits.map(({ y }) => y)),
  lowest: Math.min(...allLimits.map(({ height }) => height.min)),
  highest: Math.max(...allLimits.map(({ height }) => height.max)),
  regions: Math.max(...Object.values(regionCounts).map(({ all }) => all)),
};
