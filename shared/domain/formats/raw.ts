import type { Render } from './rendering.ts';

/** Renders the format Raw: only the bytes that the device sent. */
export const renderRaw: Render = (_snapshot, { isTest }, bytes) => (isTest ? '{"test":true}' : bytes);
