import { createHash } from 'node:crypto';

/** What is the matter with the agent of a node. */
export type NodeCharacter = {
  /** Agent's clock minus the true one. */
  clock_offset_ms: number;
  /** Packets cannot be captured: the agent reports what its interfaces carried, and no flows. */
  blind: boolean;
  /** It has stopped reporting. */
  silent: boolean;
};

const CHARACTERS: Readonly<Record<string, Partial<NodeCharacter>>> = {
  'fra-pve4': { silent: true },
  'muc-pve2': { clock_offset_ms: 47_000 },
  'muc-pve3': { blind: true },
};

export const getNodeCharacter = (node: string): NodeCharacter => ({
  clock_offset_ms: 0,
  blind: false,
  silent: false,
  ...CHARACTERS[node],
});

/** The id a node's operating system was installed with. */
export const computeMachineId = (node: string): string => createHash('md5').update(`demo/${node}`).digest('hex');
