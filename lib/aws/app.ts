import { join } from 'node:path';
import { App, type AppProps, Validations } from 'aws-cdk-lib';
import flags from 'aws-cdk-lib/recommended-feature-flags.json' with { type: 'json' };
import { AwsSolutionsChecks } from 'cdk-nag';
import { BackendStack } from './backend-stack.ts';
import { bundleAll } from './bundle.ts';
import { lambdas } from './lambdas.ts';
import { stackName } from './stack-name.ts';
import { stageFrom } from './stage.ts';

/**
 * The CDK app with the stack of the stage that its context names. Bundles the code of all functions on the way, and
 * refuses to synthesise when cdk-nag has a finding that nobody acknowledged.
 */
export const createApp = async (props: AppProps = {}) => {
  // The CDK behaves as this pinned version of it recommends. What the command line says of the stage wins over `props`.
  const app = new App({ analyticsReporting: false, ...props, context: { ...flags, ...props.context } });
  Validations.of(app).addPlugins(new AwsSolutionsChecks(app));
  const stage = stageFrom((key) => app.node.tryGetContext(key));
  const names = lambdas.map(({ name }) => name);
  const bundles = await bundleAll(names, join(app.outdir, 'bundles'));
  const stack = new BackendStack(app, stackName(stage.name), { stage, bundles });
  return { app, stack, bundles };
};
