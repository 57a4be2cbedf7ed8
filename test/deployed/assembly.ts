import { readFileSync } from 'node:fs';
import { join } from 'node:path';

export type Resource = { Type: string; Properties?: Readonly<Record<string, unknown>>; DependsOn?: string | string[] };
export type Template = { Resources: Record<string, Resource> };

/** The output of `cdk synth`: the stack's template, and the asset folders by bucket key. */
export type Assembly = { template: Template; assets: ReadonlyMap<string, string> };

type Manifest = { artifacts: Record<string, { type: string; properties: { templateFile: string; file: string } }> };
type Assets = {
  files: Record<string, { source: { path: string }; destinations: Record<string, { objectKey: string }> }>;
};

/** Reads a cloud assembly, without using any contracts or code from this repository. */
export const readAssembly = (folder: string): Assembly => {
  const read = (file: string): unknown => JSON.parse(readFileSync(join(folder, file), 'utf8'));
  const artifacts = Object.values((read('manifest.json') as Manifest).artifacts);
  const [stack, ...more] = artifacts.filter(({ type }) => type === 'aws:cloudformation:stack');
  if (!stack || more.length > 0) throw new Error(`${folder} must contain exactly one stack`);
  const manifests = artifacts.filter(({ type }) => type === 'cdk:asset-manifest');
  const files = manifests.flatMap(({ properties }) => Object.values((read(properties.file) as Assets).files));
  const assets = files.flatMap(({ source, destinations }) =>
    Object.values(destinations).map(({ objectKey }) => [objectKey, join(folder, source.path)] as const),
  );
  return { template: read(stack.properties.templateFile) as Template, assets: new Map(assets) };
};
