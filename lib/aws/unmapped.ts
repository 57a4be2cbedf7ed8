import { readFileSync } from 'node:fs';
import type { Plugin } from 'esbuild';

const NO_MAP =
  '//# sourceMappingURL=data:application/json;base64,eyJ2ZXJzaW9uIjozLCJzb3VyY2VzIjpbImxpYnJhcnkiXSwibmFtZXMiOltdLCJtYXBwaW5ncyI6IkFBQUEifQ==';

/**
 * Gives the code of packages a source map that says nothing; the code stays as it is. Node reads maps at each cold start,
 * and the stacks that people look for name our own lines. https://github.com/evanw/esbuild/issues/1685
 */
export const unmapped: Plugin = {
  name: 'unmapped',
  setup: ({ onLoad }) =>
    onLoad({ filter: /\/(?:node_modules|\.sdk)\/.*\.m?js$/ }, ({ path }) => ({
      contents: `${readFileSync(path, 'utf8')}\n${NO_MAP}`,
    })),
};
