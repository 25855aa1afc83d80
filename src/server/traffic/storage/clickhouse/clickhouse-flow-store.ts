import type { FlowStore } from '../flow-store';
import { hits } from '../postgres/coverage-reads';
import { estimates } from '../postgres/estimates';
import { appendInterfaces } from '../postgres/interface-counters';
import { readTrafficVersion, sumByWorkload, sumCounters, sumOwned, sumTrafficBuckets } from '../postgres/read-sums';
import { unconfirmed } from '../postgres/unconfirmed';
import { append, endFlows } from './append-flows';
import type { Connection } from './connection';
import { listConversations, streamConversations } from './conversation-list';
import { sumConversationPairs } from './conversation-pairs';
import { listEdges, listGroupConversations, listGroupTraffic } from './conversations';
import { listFlowGroups } from './flow-groups';
import { findFlowsStoredSince, listFlows, streamFlows } from './flow-list';
import { listInsightFlows, streamFacts } from './insight-rows';
import { streamInsights } from './insight-stream';
import { sumInsights } from './insight-summary';
import { sumTraffic } from './make-sums';
import { makeDelivery } from './outbox';
import { streamReplay } from './replay-rows';
import { resolveEnds } from './resolve-ends';
import { retainFlows } from './retention';
import { sumBuckets, sumSpans, sumWorkloadTraffic } from './series';
import { settleConversations } from './settle-conversations';
import { makeSettledConversations } from './settled-conversations';
import { findSensitiveSources, sumSuspiciousFlows } from './suspicious';
import { readUncountedFlows } from './uncounted-flows';
import { watchConversations } from './watch-conversations';

/** Flows in ClickHouse. Names, what changes in place, and what has not arrived there so far are in PostgreSQL. */
export function makeClickhouseFlowStore(connection: Connection, options?: { gap_ms?: number }): FlowStore {
  const deliver = makeDelivery(connection, options);
  return {
    append,
    deliver,
    appendInterfaces,
    endFlows,
    list: listFlows(connection),
    stream: streamFlows(connection),
    conversations: {
      list: listConversations(connection),
      stream: streamConversations(connection),
      pairs: sumConversationPairs(connection),
    },
    settled: makeSettledConversations(connection),
    tail: findFlowsStoredSince(connection),
    groups: listFlowGroups(connection),
    groupConversations: listGroupConversations(connection),
    series: sumBuckets(connection),
    spans: sumSpans(connection),
    edges: listEdges(connection),
    between: listGroupTraffic(connection),
    suspicious: sumSuspiciousFlows(connection),
    sensitiveSources: findSensitiveSources(connection),
    replay: streamReplay(connection),
    watch: watchConversations(connection),
    insights: {
      list: listInsightFlows(connection),
      summary: sumInsights(connection),
      stream: streamInsights(connection),
      facts: streamFacts(connection),
      traffic: sumWorkloadTraffic(connection),
    },
    talkers: {
      version: readTrafficVersion,
      byWorkload: sumByWorkload,
      byOwnedWorkload: sumOwned,
      byCounters: sumCounters,
      series: sumTrafficBuckets,
    },
    hits: { ...hits, uncounted: readUncountedFlows(connection) },
    unconfirmed,
    estimates,
    upkeep: {
      sum: sumTraffic(connection),
      resolveEnds: resolveEnds(connection, deliver),
      settleConversations: settleConversations(connection, deliver),
      retain: retainFlows(connection),
    },
  };
}
