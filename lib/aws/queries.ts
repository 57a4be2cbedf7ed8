import { Stack } from 'aws-cdk-lib';
import type { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { QueryDefinition, QueryString } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';

const fields = ['@timestamp', 'level', 'message', 'consumer', 'operation', '@log', '@message'];

/** Questions to the logs of all functions. Whoever asks puts the id in the place of ID. */
const queries: Readonly<Record<string, { filter: string; sort?: string }>> = {
  'what became of ID (a request, message, event, sensor, webhook or delivery)': { filter: '@message like "ID"' },
  'errors, newest first': { filter: 'level = "error" or level = "ERROR"', sort: '@timestamp desc' },
  'what comes again': { filter: 'message = "a message comes again" or message = "a message was not worked off"' },
  'what was put aside': { filter: 'message = "a message cannot be read"' },
  'functions that ran out of time or memory': {
    filter: 'type like /^platform/ and @message like /timeout|OutOfMemory|error/',
  },
};

/** Saves them beside the stack, by its name. https://docs.aws.amazon.com/AmazonCloudWatch/latest/logs/CWL_QuerySyntax.html */
export const saveQueries = (scope: Construct, functions: Readonly<Record<string, LambdaFunction>>): void => {
  for (const [at, [name, { filter, sort = '@timestamp asc' }]] of Object.entries(queries).entries())
    new QueryDefinition(scope, `query-${at}`, {
      queryDefinitionName: `${Stack.of(scope).stackName}/${name}`,
      queryString: new QueryString({ fields, filterStatements: [filter], sort, limit: 1_000 }),
      logGroups: Object.values(functions).map(({ logGroup }) => logGroup),
    });
};
