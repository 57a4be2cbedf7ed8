import type { Render } from './rendering.ts';

/** Renders the Raw format: only the bytes sent by the device. */
export const renderRaw: Render = (_snapshot, { isTest }, bytes) => (isTest ? '{"test":true}' : bytes);
