import type { Render } from './rendering.ts';

/** The format Raw contains only the bytes that the device sent. */
export const renderRaw: Render = (_snapshot, { isTest }, bytes) => (isTest ? '{"test":true}' : bytes);
