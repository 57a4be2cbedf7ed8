import { Stack } from 'aws-cdk-lib';
import { LogGroup, QueryDefinition, QueryString } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';

const ids = ['requestId', 'uuid', 'deliveryId'];
const fields = ['@timestamp', 'level', 'message', 'consumer', 'operation', ...ids, '@log', '@message'];

/**
 * The saved queries over the logs from all functions and both APIs. Replace ID in the first query with the id to search
 * for.
 */
const queries: Readonly<Record<string, { filter: string; sort?: string }>> = {
  'what became of ID (a request, message, event, sensor, webhook or delivery)': { filter: '@message like "ID"' },
  'errors, newest first': { filter: 'level = "error" or level = "ERROR"', sort: '@timestamp desc' },
  'tasks that are retried': { filter: 'message = "a task will be retried later" or message = "a task failed"' },
  'messages in quarantine': { filter: 'message = "a message cannot be read"' },
  'functions that ran out of time or memory': {
    filter: 'type like /^platform/ and @message like /timeout|OutOfMemory|error/',
  },
};

/**
 * Saves the queries in CloudWatch, in a folder named after the stack.
 * https://docs.aws.amazon.com/AmazonCloudWatch/latest/logs/CWL_QuerySyntax.html
 */
export const saveQueries = (scope: Construct): void => {
  const logGroups = scope.node.children.filter((construct) => construct instanceof LogGroup);
  for (const [at, [name, { filter, sort = '@timestamp asc' }]] of Object.entries(queries).entries())
    new QueryDefinition(scope, `query-${at}`, {
      queryDefinitionName: `${Stack.of(scope).stackName}/${name}`,
      queryString: new QueryString({ fields, filterStatements: [filter], sort, limit: 1_000 }),
      logGroups,
    });
};
