import { setTimeout as delay } from 'node:timers/promises';
import { enrolmentAnswerSchema, heartbeatAnswerSchema } from '@fabric/agent-contract';
import { AGENT_PATHS, AGENT_VERSION, PROTOCOL_VERSION } from '@fabric/agent-contract/limits';
import type { Span } from '@/domain/impact/time-spans';
import { NodeListInput } from '@/domain/inventory';
import { systemScope } from '@/server/auth/scope';
import { listNodes } from '@/server/enforcement/inventory-views/nodes';
import { clock } from '@/server/lib/clock';
import { AppError } from '@/server/lib/errors';
import { logger } from '@/server/lib/logger';
import { createInstall } from '@/server/traffic/agents/install';
import { SITES } from '../inventory/company';
import type { KeptFile } from '../kept-file';
import type { ClustersView } from '../traffic/clusters-view';
import { makeHeartbeat } from '../traffic/heartbeat';
import { addTotals } from '../traffic/interface-totals';
import { computeMachineId, getNodeCharacter } from '../traffic/node-character';
import { type NodeReport, nodeKey, nodeReports } from '../traffic/node-reports';
import { SLOT_MS, slotAt, startOfSlot } from '../traffic/sessions';
import { getOrCreateAgent, newTraffic, type TrafficState } from './kept-traffic';
import type { Post } from './post';
import { reportInPast } from './report-in-past';
import { HISTORY_SLOTS, nextRound, olderRound, RECENT_SLOTS, type Round } from './rounds';

const scope = systemScope('agent:install', 'demo data');

/** Installs the agent of a node: the one-time token of an install command for the node's own. @returns that token */
export async function enrollNode(node: { id: string; name: string }, baseUrl: string, post: Post): Promise<string> {
  const { enrolment_token } = await createInstall(scope, { node_id: node.id }, baseUrl);
  const answer = await post(AGENT_PATHS.enrol, {
    protocol_version: PROTOCOL_VERSION,
    enrolment_token,
    machine_id: computeMachineId(node.name),
    node_name: node.name,
    agent_version: AGENT_VERSION,
  });
  if (answer.status !== 200)
    throw new Error(`enrollment of ${node.name}: ${answer.status} ${JSON.stringify(answer.body)}`);
  return enrolmentAnswerSchema.parse(answer.body).node_token;
}

const SEED = 20_261;
/** The stale agent last reported this many slots before the first start. */
const SILENT_SINCE = 100;
/** Pauses after failures, the first and the longest. */
const RETRY_MS = { first: 1_000, longest: 30_000 };
const NOTHING: NodeReport = { flows: [], moved: {} };

type Options = {
  view: ClustersView;
  file: KeptFile<TrafficState>;
  post: Post;
  /** Address of the service. */
  baseUrl: string;
  /** Slots of history at the first start, and how many of them come first; default: nearly a day, and an hour. */
  history?: number;
  recent?: number;
};

type Place = { key: string; site: string; node: string; cluster_name: string };

const PLACES: readonly Place[] = SITES.flatMap(({ name, nodes, cluster_name }) =>
  nodes.map((node) => ({ key: nodeKey(name, node), site: name, node, cluster_name })),
);

/** The agents of all nodes of the demo: they enroll, deliver the missing history, and report from then on. */
export class DemoAgents {
  readonly #options: Options;
  readonly #state: TrafficState;
  #greeted: number | undefined;

  constructor(options: Options) {
    this.#options = options;
    const { history = HISTORY_SLOTS, recent = RECENT_SLOTS } = options;
    this.#state = options.file.read() ?? newTraffic(SEED, slotAt(clock.now().getTime()), history, recent);
  }

  /** Delivers what is due. @returns how long there is nothing to do, in milliseconds */
  async step(): Promise<number> {
    const now = clock.now().getTime();
    const last = slotAt(now) - 1;
    const { covered_to, older } = this.#state;
    const kept = this.#state.round;
    // A round of a process that ended is repeated as it was; what the service has already it does not count again.
    const round = kept && this.#greeted === undefined && kept.kind === 'late' ? 'greet' : kept;
    const progress = { covered_to, last, greeted: this.#greeted, history: HISTORY_SLOTS };
    const next = round ?? nextRound(progress) ?? olderRound(older, last);
    if (next === null) return startOfSlot(last + 2) - now + 50;
    if (next === 'greet') {
      // Nothing that is late may have the number of the greeting, or a later one.
      const sequence = Math.max(last, (kept?.to ?? 0) + 1);
      await this.#each(sequence, { since: now, until: now }, null, false);
      this.#greeted = sequence;
      return 0;
    }
    await this.#deliver(next, now);
    if (next.kind === 'live') this.#greeted = undefined;
    return 0;
  }

  /** Runs until the signal. Failures are retried. */
  async run(signal: AbortSignal): Promise<void> {
    let retry = RETRY_MS.first;
    while (!signal.aborted) {
      let pause: number;
      try {
        pause = Math.min(await this.step(), SLOT_MS);
        retry = RETRY_MS.first;
      } catch (error) {
        if (retry === RETRY_MS.first) logger.warn({ err: error }, 'the demo agents could not report and try again');
        pause = retry;
        retry = Math.min(2 * retry, RETRY_MS.longest);
      }
      await delay(pause, undefined, { signal }).catch(() => undefined);
    }
  }

  async #deliver(round: Round, now: number): Promise<void> {
    const { file, view } = this.#options;
    const state = this.#state;
    state.round = round;
    file.write(state);
    const reports = nodeReports(state.seed, round, view);
    const sentAt = round.kind === 'live' ? now : Math.min(startOfSlot(round.to + 1), now);
    const covered = { since: Math.min(startOfSlot(round.from), sentAt), until: sentAt };
    await this.#each(round.to, covered, reports, round.kind !== 'older');
    if (round.kind === 'older') state.older.from = round.to + 1;
    else {
      for (const { key } of PLACES) {
        state.totals[key] = addTotals(state.totals[key] ?? {}, (reports.get(key) ?? NOTHING).moved);
      }
      state.covered_to = round.to;
    }
    state.round = undefined;
    file.write(state);
  }

  /**
   * One heartbeat of each node; without reports a greeting, which says only that the agent is there.
   * @param covered the time that it is about, up to when it is sent
   * @param counted whether the totals of the interfaces are part of it: they begin with the recent history
   */
  async #each(
    sequence: number,
    covered: Span,
    reports: ReadonlyMap<string, NodeReport> | null,
    counted: boolean,
  ): Promise<void> {
    await this.#enrol();
    if (reports === null) await this.#greetInPast(sequence);
    await Promise.all(
      PLACES.map((place) => this.#report(place, sequence, covered, reports?.get(place.key) ?? NOTHING, counted)),
    );
  }

  /**
   * The greeting of the stale agent, received when it last reported: it is stale from the start, and its history counts as late.
   * Alone, because the time of the services changes for it.
   */
  async #greetInPast(sequence: number): Promise<void> {
    const { view } = this.#options;
    const end = this.#state.first_slot - SILENT_SINCE;
    if (this.#state.covered_to >= end) return;
    for (const { key, site, node } of PLACES.filter((place) => getNodeCharacter(place.node).silent)) {
      const { boot_id, token } = getOrCreateAgent(this.#state, key);
      if (token === undefined) continue;
      await reportInPast(view, { site, node, boot_id, token, sequence, at: startOfSlot(end) });
    }
  }

  async #report(
    place: Place,
    sequence: number,
    covered: Span,
    { flows, moved }: NodeReport,
    counted: boolean,
  ): Promise<void> {
    const { view, post } = this.#options;
    const { site, node, key } = place;
    const agent = getOrCreateAgent(this.#state, key);
    if (agent.token === undefined) return;
    // It has greeted in the past.
    if (getNodeCharacter(node).silent && sequence >= this.#state.first_slot - SILENT_SINCE) return;
    const totals = addTotals(this.#state.totals[key] ?? {}, moved);
    const { boot_id, token } = agent;
    const times = { observed_since: covered.since, sent_at: covered.until };
    const heartbeat = makeHeartbeat(view, { site, node, boot_id, sequence, ...times, flows, totals, moved });
    const body = counted ? heartbeat : { ...heartbeat, interfaces: [] };
    const answer = await post(AGENT_PATHS.heartbeat, body, token);
    if (answer.status === 200) {
      const { rejected } = heartbeatAnswerSchema.parse(answer.body);
      if (rejected.length > 0)
        logger.debug({ node, rejected: rejected.length, first: rejected[0] }, 'demo flows rejected');
      return;
    }
    if (answer.status === 401 || answer.status === 403) {
      // Another agent was installed, or the node was deleted.
      agent.token = undefined;
      return;
    }
    throw new Error(`heartbeat of ${node}: ${answer.status} ${JSON.stringify(answer.body).slice(0, 300)}`);
  }

  /** Gives every node that lacks one an agent, as far as the service knows the node. */
  async #enrol(): Promise<void> {
    const lacking = PLACES.filter(({ key }) => getOrCreateAgent(this.#state, key).token === undefined);
    if (lacking.length === 0) return;
    const { baseUrl, post, file } = this.#options;
    const { items } = await listNodes(systemScope('cluster:read', 'demo data'), NodeListInput.parse({ limit: 500 }));
    for (const { key, node, cluster_name } of lacking) {
      const found = items.find((item) => item.name === node && item.cluster_name === cluster_name);
      if (!found) continue;
      try {
        const agent = getOrCreateAgent(this.#state, key);
        agent.token = await enrollNode(found, baseUrl, post);
        agent.node_id = found.id;
        file.write(this.#state);
      } catch (error) {
        // Deleted a moment ago.
        if (!(error instanceof AppError) || error.code !== 'not_found') throw error;
      }
    }
  }
}
