import { db } from '../../../db/client';
import type { FlowStore } from '../flow-store';
import { append, endWorkloadFlows } from './append-flows';
import { listStoredConversations, streamStoredConversations } from './conversation-list';
import { sumConversationPairs } from './conversation-pairs';
import { listGroupConversations, listGroupTraffic } from './conversations';
import { hits } from './coverage-reads';
import { listEdges } from './edges';
import { estimates } from './estimates';
import { listFlowGroups } from './flow-groups';
import { findFlowsStoredSince, listFlows, streamFlows } from './flow-list';
import { listInsightFlows, streamFacts } from './insight-rows';
import { streamInsights } from './insight-stream';
import { sumInsights } from './insight-summary';
import { appendInterfaces } from './interface-counters';
import { sum } from './make-sums';
import { readTrafficVersion, sumByWorkload, sumCounters, sumOwned, sumTrafficBuckets } from './read-sums';
import { streamReplay } from './replay-rows';
import { resolveEnds } from './resolve-ends';
import { retain } from './retention';
import { sumBuckets, sumSpans, sumWorkloadTraffic } from './series';
import { settleConversations } from './settle-conversations';
import { settled } from './settled-conversations';
import { findSensitiveSources, sumSuspiciousFlows } from './suspicious';
import { unconfirmed } from './unconfirmed';
import { watchConversations } from './watch-conversations';

/** Flows in the application's own PostgreSQL: no statement reads another database, and answers join the inventory. */
export const postgresFlowStore: FlowStore = {
  append,
  deliver: async () => {},
  appendInterfaces,
  endFlows: endWorkloadFlows,
  list: listFlows,
  stream: streamFlows,
  conversations: { list: listStoredConversations, stream: streamStoredConversations, pairs: sumConversationPairs },
  settled,
  tail: findFlowsStoredSince,
  groups: listFlowGroups,
  groupConversations: listGroupConversations,
  series: sumBuckets,
  spans: sumSpans,
  edges: listEdges,
  between: listGroupTraffic,
  suspicious: sumSuspiciousFlows,
  sensitiveSources: findSensitiveSources,
  replay: streamReplay,
  watch: watchConversations,
  insights: {
    list: listInsightFlows,
    summary: (selection) => sumInsights(db, selection),
    stream: streamInsights,
    facts: streamFacts,
    traffic: sumWorkloadTraffic,
  },
  talkers: {
    version: readTrafficVersion,
    byWorkload: sumByWorkload,
    byOwnedWorkload: sumOwned,
    byCounters: sumCounters,
    series: sumTrafficBuckets,
  },
  hits,
  unconfirmed,
  estimates,
  upkeep: { sum, resolveEnds, settleConversations, retain },
};
