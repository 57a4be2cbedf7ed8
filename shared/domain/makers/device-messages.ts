import * as z from 'zod';
import { MESSAGE_LIMITS } from '../event/raw.ts';
import { messagesOfMakerA } from './maker-a/messages.ts';
import { CommonFields, messagesOfMakerB } from './maker-b/messages.ts';
import { EXAMPLE_TIME } from './message-fields.ts';

const schemasOfMakerA = () =>
  Object.entries(messagesOfMakerA).map(([key, { name, description, fields, example }]) => {
    const type = key === 'state' ? key : Number(key);
    const examples = [{ type, payload: example }];
    const shape = { type: z.literal(type), payload: z.looseObject(fields.shape) };
    return z.looseObject(shape).meta({ id: `MakerA${name}Message`, description, examples });
  });

const schemasOfMakerB = () =>
  Object.values(messagesOfMakerB).map(({ name, type, description, fields, example }) => {
    const cmd = type === null ? 'stat' : 'event';
    const kind = type === null ? {} : { type };
    const examples = [{ cmd, ...kind, timestamp: EXAMPLE_TIME, ...example }];
    const shape = {
      cmd: type === null ? z.literal('stat') : z.enum(['event', 'alarm', 'stat']),
      ...(type !== null && { type: z.literal(type) }),
      ...fields.shape,
      ...CommonFields.shape,
    };
    return z.looseObject(shape).meta({ id: `MakerB${name}Message`, description, examples });
  });

/**
 * Returns the message schemas for both makers, for use in documents. They are built on demand because only documents
 * need them; decoders read messages field by field.
 */
export const deviceMessages = () => {
  const makerA = z.xor(schemasOfMakerA()).meta({ id: 'MakerAMessage' });
  const makerB = z.union(schemasOfMakerB()).meta({ id: 'MakerBMessage' });
  const message = z.union([makerA, makerB]).meta({ id: 'DeviceMessage' });
  return { makerA, makerB, calls: z.union([message, z.array(message).max(MESSAGE_LIMITS.count)]) };
};

type Json = Record<string, unknown>;
/** A message kind as shown in documents: the JSON Schema, with references to other schemas resolved. */
type DocumentedMessage = { id: string; about: string; example: Json; schema: Json };

/** Returns an example for every message kind, by schema id. */
export const messageExamples = (): Record<string, { summary: string; value: unknown }> => {
  const { makerA, makerB } = deviceMessages();
  const examples = [...makerA.options, ...makerB.options].map((option) => {
    const { id = '', description = '', examples } = option.meta() ?? {};
    const [value] = (examples ?? []) as unknown[];
    const summary = `${id.startsWith('MakerA') ? 'Maker A' : 'Maker B'}: ${description.split('. ')[0]}`;
    return [id, { summary, value }] as const;
  });
  return Object.fromEntries(examples);
};

/** Returns a maker's message kinds, as shown in documents. */
export const documentedMessages = (maker: 'makerA' | 'makerB'): DocumentedMessage[] =>
  deviceMessages()[maker].options.map((option) => {
    const { id = '', description: about = '', examples = [] } = option.meta() ?? {};
    const { $defs = {}, ...own } = z.toJSONSchema(option, { io: 'input' }) as Json;
    const schema = (($defs as Record<string, Json>)[id] ?? own) as Json;
    return { id, about, example: (examples as Json[])[0] ?? {}, schema };
  });
