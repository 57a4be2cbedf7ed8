import { readFileSync } from 'node:fs';
import type { Plugin } from 'esbuild';

const NO_MAP =
  '//# sourceMappingURL=data:application/json;base64,eyJ2ZXJzaW9uIjozLCJzb3VyY2VzIjpbImxpYnJhcnkiXSwibmFtZXMiOltdLCJtYXBwaW5ncyI6IkFBQUEifQ==';

/**
 * An esbuild plugin that gives package code an empty source map: Node parses source maps at each cold start, and stack
 * traces only need lines from this project.
 * https://github.com/evanw/esbuild/issues/1685
 */
export const skipSourceMaps: Plugin = {
  name: 'unmapped',
  setup: ({ onLoad }) =>
    onLoad({ filter: /\/(?:node_modules|\.sdk)\/.*\.m?js$/ }, ({ path }) => ({
      contents: `${readFileSync(path, 'utf8')}\n${NO_MAP}`,
    })),
};
