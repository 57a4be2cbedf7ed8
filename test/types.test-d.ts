import * as z from 'zod';
import { type Call, group, type Handlers, type Operation } from '../shared/api/operation.ts';
import { serve } from '../shared/api/serve.ts';
import type { Format, PayloadFormat } from '../shared/domain/formats/format.ts';
import { formats } from '../shared/domain/formats/formats.ts';
import { renderers } from '../shared/domain/formats/render.ts';
import type { Render } from '../shared/domain/formats/rendering.ts';
import { type Decode, decoders } from '../shared/domain/makers/decoders.ts';
import type { Maker } from '../shared/domain/makers/maker.ts';
import { makers } from '../shared/domain/makers/makers.ts';
import type { Manufacturer } from '../shared/domain/sensor/sensor.ts';
import type { Deps } from '../shared/runtime/deps.ts';
import { flag } from '../shared/settings/kinds.ts';
import { declare as declareSettings } from '../shared/settings/setting.ts';
import { part } from '../shared/store/key.ts';
import type { StoreOf } from '../shared/store/store.ts';

declare const omit: <T, K extends keyof T>(from: T, name: K) => Omit<T, K>;

// Never executed. types.test.ts compiles each case. The line after `@ts-expect-error` must not compile.

const testGroup = group({
  name: 'one',
  about: 'Operations of this test',
  operations: {
    publicRead: {
      method: 'GET',
      path: '/public',
      summary: 's',
      auth: 'anyone',
      success: 200,
      response: z.object({ a: z.int() }),
      uses: ['rules.get', 'customers.get'],
    },
    write: {
      method: 'PUT',
      path: '/things/{thingId}',
      summary: 's',
      auth: 'user',
      may: 'manage_rules',
      within: 'rule',
      params: z.object({ thingId: z.string() }),
      body: z.object({ b: z.string() }),
      success: 200,
      response: z.object({ a: z.int() }),
      errors: ['rule_not_found'],
      uses: ['rules.create', 'rules.replace'],
    },
  },
});
type One = (typeof testGroup)['operations'];
declare const call: Call<One['write']>;
declare const publicCall: Call<One['publicRead']>;
declare const reader: Deps<One['publicRead']['uses'][number]>;
declare const writer: Deps<One['write']['uses'][number]>;
declare const storeless: Deps<'enqueue:events'>;
declare const handlers: Handlers<typeof testGroup>;
const common = { method: 'GET', path: '/x', summary: 's', success: 200, response: z.string(), uses: [] } as const;

// case: code that uses only what the contract declares compiles
export const good = () => {
  call.fail('rule_not_found');
  call.fail('forbidden');
  const texts: string[] = [call.body.b, call.params.thingId];
  const numbers: number[] = [call.caller.accountId, call.customerId];
  serve(testGroup, handlers);
  return [texts, numbers, writer.store.rules.create, reader.store.rules.get, part('A#{b}')({ b: 1 })];
};

// case: rejects fail() with an error not declared in the contract
// @ts-expect-error
export const undeclaredError = () => call.fail('webhook_not_found');

// case: rejects fail() with an error declared by another operation
// @ts-expect-error
export const errorOfAnother = () => publicCall.fail('rule_not_found');

// case: rejects an undeclared store call on a noun with declared calls
// @ts-expect-error
export const writeInRead = () => reader.store.customers.create;

// case: rejects a store noun without declared calls
// @ts-expect-error
export const limitsInRead = () => reader.store.limits;

declare const helper: (store: StoreOf<'rules.get' | 'rules.list'>) => void;
declare const helperOfOther: (deps: Deps<'rules.get' | 'limits.countCall'>) => void;
// case: rejects a helper that needs undeclared store calls on a noun with declared calls
// @ts-expect-error
export const moreInHelper = () => helper(reader.store);

// case: rejects a helper that needs store calls on a noun without declared calls
// @ts-expect-error
export const otherInHelper = () => helperOfOther(reader);

// case: rejects the store in an operation without declared store calls
// @ts-expect-error
export const storeUnasked = () => storeless.store;

// case: rejects a queue not declared by the operation
// @ts-expect-error
export const queueUnasked = () => writer.enqueue;

// case: rejects a task for another queue
// @ts-expect-error
export const taskOfAnother = () => storeless.enqueue([{ type: 'check_sensor', customerId: 1, sensorId: 's' }]);

// case: rejects the caller in a public operation
// @ts-expect-error
export const callerOfNobody = () => publicCall.caller;

// case: rejects the customer in an operation without one
// @ts-expect-error
export const customerOfNobody = () => publicCall.customerId;

// case: rejects a body field not declared in the contract
// @ts-expect-error
export const undeclaredField = () => call.body.c;

// case: rejects a missing handler
// @ts-expect-error
export const missingHandler = () => serve(testGroup, { publicRead: handlers.publicRead });

// case: rejects a handler not declared in the contract
// @ts-expect-error
export const surplusHandler = () => serve(testGroup, { ...handlers, more: handlers.publicRead });

// case: rejects a response that does not match the schema
// @ts-expect-error
export const wrongAnswer = () => serve(testGroup, { ...handlers, publicRead: async () => ({ a: 'text' }) });

// case: rejects an operation without authentication
// @ts-expect-error
export const withoutAuth: Operation = common;

// case: rejects an operation for users without an access rule
// @ts-expect-error
export const withoutRule: Operation = { ...common, auth: 'user' };

// case: rejects an operation with an unknown permission
// @ts-expect-error
export const unknownPermission: Operation = { ...common, auth: 'user', may: 'manage_everything' };

// case: rejects an operation using an unknown capability
// @ts-expect-error
export const unknownCapability: Operation = { ...common, auth: 'anyone', uses: ['table:scan'] };

// case: rejects an operation using an unknown store call
// @ts-expect-error
export const unknownCall: Operation = { ...common, auth: 'anyone', uses: ['rules.scan'] };

// case: rejects a misspelled name in `uses`
export const misspelt = group({
  name: 'misspelt',
  about: 'A group with a misspelt use',
  // @ts-expect-error
  operations: { read: { ...common, auth: 'anyone', uses: ['rules.get', 'rules.creat'] } },
});

// case: code that uses a capability misspelled in `uses`, which is already an error, compiles
declare const misled: Deps<(typeof misspelt)['operations']['read']['uses'][number]>;
misled.store.rules.create;

// case: rejects a key with a missing value
// @ts-expect-error
export const keyWithoutValue = () => part('C#{customerId}#{x}')({ customerId: 1 });

// case: rejects a maker with a missing cell
// @ts-expect-error
export const maker: Record<Manufacturer, Maker> = { ...makers, maker_b: omit(makers.maker_b, 'mountings') };

// case: rejects an unregistered maker
// @ts-expect-error
export const fewerMakers: Record<Manufacturer, Maker> = { maker_a: makers.maker_a };

// case: rejects a maker without a decoder
// @ts-expect-error
export const fewerDecoders: Record<Manufacturer, Decode> = { maker_a: decoders.maker_a };

// case: rejects a format with a missing cell
// @ts-expect-error
export const format: Record<Format, PayloadFormat> = { ...formats, raw: omit(formats.raw, 'message') };

// case: rejects an unregistered format
// @ts-expect-error
export const fewerFormats: Record<Format, PayloadFormat> = { full: formats.full, raw: formats.raw };

// case: rejects a format without a renderer
// @ts-expect-error
export const fewerRenders: Record<Format, Render> = omit(renderers, 'teams');

// case: every maker and every format with all cells compiles
type All = { makers: Record<Manufacturer, Maker>; decoders: Record<Manufacturer, Decode> };
type AllFormats = { formats: Record<Format, PayloadFormat>; renders: Record<Format, Render> };
export const all: All & AllFormats = { makers, decoders, formats, renders: renderers };

// case: rejects an environment variable outside the contract's capabilities
declare const watcher: Deps<'watch:sensors'>;
// @ts-expect-error
watcher.settings.DELIVERY_DEADLINE_SECONDS;

// case: an environment variable from a declared capability compiles
watcher.settings.SENSOR_INACTIVE_AFTER_SECONDS;

// case: rejects a setting with an invalid default
// @ts-expect-error
export const otherDefault = declareSettings({ A: { schema: flag, default: 'true' } });

// case: rejects a setting with an invalid default for a stage
// @ts-expect-error
export const otherInProd = declareSettings({ A: { schema: flag, default: true, about: { defaults: { prod: 1 } } } });

// case: rejects a setting for an unknown capability
// @ts-expect-error
export const forNobody = declareSettings({ A: { default: '', about: { capabilities: ['guards'] } } });

// case: a boolean setting that may be unset compiles
export const goodSetting = declareSettings({ A: { schema: flag, default: null, about: { defaults: { dev: true } } } });
