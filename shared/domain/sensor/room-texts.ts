import { type Limits, mountings, regionCounts, SHORTEST_SIDE } from './room-limits.ts';

const listed = (counts: Readonly<Record<string, number>>): string =>
  Object.entries(counts)
    .map(([name, most]) => `${most} \`${name}\``)
    .join(', ');

const rows = Object.entries(mountings).flatMap(([maker, each]) =>
  Object.entries(each).map(
    ([mounting, { x, y, height }]) => `| ${maker} | ${mounting} | ${x} | ${y} | ${height.min} to ${height.max} |`,
  ),
);
const regions = Object.entries(regionCounts).map(
  ([maker, { all, kinds }]) => `A ${maker} has at most ${all} regions, of which at most ${listed(kinds)}.`,
);

/** What a room and its regions are refused for, by maker and mounting: for the API document. */
export const roomLimitsText = [
  'What is refused depends on the maker of the sensor and on `sensorMounting`. All lengths are in cm.',
  [
    '| maker | sensorMounting | xMin, xMax at most | yMax at most | sensorHeight |',
    '| --- | --- | ---: | ---: | ---: |',
    ...rows,
  ].join('\n'),
  'A mounting or a kind of region that is not named for a maker is refused, and so is a `zMin` that is not below its `zMax`.',
  regions.join(' '),
  'Both corners of a region are inside of the room: x from -xMin to xMax, y from -yMin to yMax. The first is to the left ' +
    `of and above the second, and no side is shorter than ${SHORTEST_SIDE}.`,
].join('\n\n');

const all: readonly Limits[] = Object.values(mountings).flatMap((each) => Object.values(each));
/** The bounds in cm beyond which every maker and mounting is refused. */
export const widest = {
  x: Math.max(...all.map(({ x }) => x)),
  y: Math.max(...all.map(({ y }) => y)),
  lowest: Math.min(...all.map(({ height }) => height.min)),
  highest: Math.max(...all.map(({ height }) => height.max)),
  regions: Math.max(...Object.values(regionCounts).map(({ all }) => all)),
};
