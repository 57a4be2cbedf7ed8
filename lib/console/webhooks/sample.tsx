import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { ok } from '#lib/client/problem.ts';
import type { Webhook } from '#openapi';
import { api } from '../api/client.ts';
import { Code } from '../ui/code.tsx';
import { Loaded } from '../ui/states.tsx';
import { useWebhookTexts } from './texts.ts';

type Content = { 'application/json': { example: unknown } };
type Document = {
  webhooks: Record<Webhook['format'], { $ref: string }>;
  components: { pathItems: Record<string, { post: { requestBody: { content: Content } } }> };
};

/** Shows an example request in a webhook format, from the OpenAPI document. */
export const Sample = ({ format }: { format: Webhook['format'] }) => {
  const texts = useWebhookTexts();
  const examples = useQuery({
    queryKey: ['examples of webhooks'],
    queryFn: async () => {
      const { webhooks, components } = (await ok(api.GET('/openapi.json'))) as Document;
      const of = (format: Webhook['format']) => {
        const described = components.pathItems[webhooks[format].$ref.split('/').at(-1) ?? ''];
        return JSON.stringify(described?.post.requestBody.content['application/json'].example, null, 2);
      };
      const formats = Object.keys(texts.formats) as Webhook['format'][];
      return new Map(formats.map((format) => [format, of(format)]));
    },
    staleTime: Number.POSITIVE_INFINITY,
  });
  return (
    <div>
      <Text mb="sm">{texts.formatHints[format]}</Text>
      <Loaded query={examples}>{(all) => <Code label={texts.sample}>{all.get(format) ?? ''}</Code>}</Loaded>
    </div>
  );
};
