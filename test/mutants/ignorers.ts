type Node = { type: string; callee?: { property?: { name?: string } }; id?: { name?: string } };

/**
 * Ignores descriptions and examples in schemas, `.meta({ … })` and `const example = { … }`, because they are API
 * document text without behavior.
 */
const meta = {
  shouldIgnore({ node, parent }: { node: Node; parent?: Node }): string | undefined {
    const isText = parent?.callee?.property?.name === 'meta' || parent?.id?.name === 'example';
    return node.type === 'ObjectExpression' && isText ? 'texts of the API document' : undefined;
  },
};

/** The plugin list Stryker loads. */
export const strykerPlugins = [{ kind: 'Ignore', name: 'meta', value: meta }];
