import { join } from 'node:path';
import { App, type AppProps, Validations } from 'aws-cdk-lib';
import flags from 'aws-cdk-lib/recommended-feature-flags.json' with { type: 'json' };
import { AwsSolutionsChecks } from 'cdk-nag';
import { BackendStack } from './backend-stack.ts';
import { bundleAll } from './functions/bundle.ts';
import { lambdas } from './functions/lambdas.ts';
import { stackName } from './settings/stack-name.ts';
import { stageFrom } from './settings/stage.ts';

/**
 * Creates the CDK app with the stack for the stage named in the context, and bundles all functions with `bundle`. Fails
 * if cdk-nag reports an unacknowledged finding.
 */
export const createApp = async (props: AppProps = {}, bundle: typeof bundleAll = bundleAll) => {
  // The feature flags recommended by the pinned CDK version. Context from the command line overrides `props`.
  const app = new App({ analyticsReporting: false, ...props, context: { ...flags, ...props.context } });
  Validations.of(app).addPlugins(new AwsSolutionsChecks(app));
  const stage = stageFrom((key) => app.node.tryGetContext(key), Object.keys(app.node.getAllContext()));
  const names = lambdas.map(({ name }) => name);
  const bundles = await bundle(names, join(app.outdir, 'bundles'));
  const stack = new BackendStack(app, stackName(stage.name), { stage, bundles });
  return { app, stack, bundles };
};
