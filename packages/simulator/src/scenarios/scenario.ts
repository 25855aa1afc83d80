import type { PveVersionName } from '../pve-version';
import type { Random } from '../random';
import type { ClusterState } from '../state/cluster-state';
import type { NetworkInterface } from '../state/node';

export type NodeSpec = {
  name: string;
  cores?: number;
  /** Bytes. */
  memory?: number;
  interfaces: NetworkInterface[];
};

/** One cluster to simulate: its hardware, and what is filled in once it exists. */
export type ClusterSpec = {
  name: string;
  version: PveVersionName;
  /** Domain of the nodes' full names. */
  domain: string;
  nodes: NodeSpec[];
  /** Worker processes per node and kind; 3 as installed. */
  workers?: number;
  build(cluster: ClusterState, random: Random): void;
};

/** A named set of clusters. The same seed builds the same world. */
export type Scenario = { name: string; seed: number; clusters: ClusterSpec[] };
