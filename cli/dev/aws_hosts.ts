import type { ApplicationFunction } from "../application/types.ts";
import { REGION } from "../rules/arn.ts";

/**
 * The first parts of the hosts of services whose hosts do not begin with the name in their signatures, or share that name. The
 * clients of the AWS SDKs read their endpoint from a variable with this identifier.
 */
const LABELS_BY_ID: Readonly<Record<string, string>> = {
  APPCONFIGDATA: "appconfigdata",
  APPSTREAM: "appstream2",
  BEDROCK_AGENT: "bedrock-agent",
  BEDROCK_AGENT_RUNTIME: "bedrock-agent-runtime",
  BEDROCK_RUNTIME: "bedrock-runtime",
  CHIME_SDK_IDENTITY: "identity-chime",
  CHIME_SDK_MEDIA_PIPELINES: "media-pipelines-chime",
  CHIME_SDK_MEETINGS: "meetings-chime",
  CHIME_SDK_MESSAGING: "messaging-chime",
  CHIME_SDK_VOICE: "voice-chime",
  CLOUDHSM_V2: "cloudhsmv2",
  CONNECT_CONTACT_LENS: "contact-lens",
  FORECASTQUERY: "forecastquery",
  IOTFLEETHUB: "api.fleethub.iot",
  IOTSECURETUNNELING: "api.tunneling.iot",
  IOT_1CLICK_DEVICES_SERVICE: "devices.iot1click",
  IOT_1CLICK_PROJECTS: "projects.iot1click",
  IOT_DATA_PLANE: "data-ats.iot",
  IOT_EVENTS_DATA: "data.iotevents",
  IOT_JOBS_DATA_PLANE: "data.jobs.iot",
  IVS_REALTIME: "ivsrealtime",
  LEX_MODELS_V2: "models-v2-lex",
  LEX_MODEL_BUILDING_SERVICE: "models.lex",
  LEX_RUNTIME_SERVICE: "runtime.lex",
  LEX_RUNTIME_V2: "runtime-v2-lex",
  MAILMANAGER: "mail-manager",
  MARKETPLACE_AGREEMENT: "agreement-marketplace",
  MARKETPLACE_CATALOG: "catalog.marketplace",
  MARKETPLACE_DEPLOYMENT: "deployment-marketplace",
  MARKETPLACE_ENTITLEMENT_SERVICE: "entitlement.marketplace",
  MARKETPLACE_METERING: "metering.marketplace",
  MEDIASTORE_DATA: "data.mediastore",
  MEMORYDB: "memory-db",
  MIGRATIONHUB_CONFIG: "migrationhub-config",
  PAYMENT_CRYPTOGRAPHY: "controlplane.payment-cryptography",
  PAYMENT_CRYPTOGRAPHY_DATA: "dataplane.payment-cryptography",
  PERSONALIZE_EVENTS: "personalize-events",
  PERSONALIZE_RUNTIME: "personalize-runtime",
  PINPOINT: "pinpoint",
  PINPOINT_EMAIL: "email",
  PINPOINT_SMS_VOICE: "sms-voice.pinpoint",
  QAPPS: "data.qapps",
  QLDB_SESSION: "session.qldb",
  SAGEMAKER_A2I_RUNTIME: "a2i-runtime.sagemaker",
  SAGEMAKER_EDGE: "edge.sagemaker",
  SAGEMAKER_FEATURESTORE_RUNTIME: "featurestore-runtime.sagemaker",
  SAGEMAKER_METRICS: "metrics.sagemaker",
  SAGEMAKER_RUNTIME: "runtime.sagemaker",
  SECRETS_MANAGER: "secretsmanager",
  SERVICE_CATALOG_APPREGISTRY: "servicecatalog-appregistry",
  SES: "email",
  SESV2: "email",
  SSO: "portal.sso",
  SSO_OIDC: "oidc",
  TIMESTREAM_QUERY: "query.timestream",
  TIMESTREAM_WRITE: "ingest.timestream",
};

/** The hosts of services without a host that begins with the name in their signatures, or of the more common of several. */
export const LABELS: Readonly<Record<string, string>> = {
  "awsssoportal": "portal.sso",
  "bedrock": "bedrock-runtime",
  "detective": "api.detective",
  "ecr": "api.ecr",
  "ecr-public": "api.ecr-public",
  "iotdata": "data-ats.iot",
  "iotwireless": "api.iotwireless",
  "mediatailor": "api.mediatailor",
  "mobiletargeting": "pinpoint",
  "pricing": "api.pricing",
  "sagemaker": "runtime.sagemaker",
  "ses": "email",
  "sso-oauth": "oidc",
  "timestream": "query.timestream",
};

/**
 * What an SDK puts before the host for some operations, by their headers `X-Amz-Target`. It would put that before the host of this
 * machine, too, so the client is told not to.
 */
export const HOST_PREFIXES: Readonly<Record<string, string>> = {
  "AWSStepFunctions.StartSyncExecution": "sync-",
  "AWSStepFunctions.TestState": "sync-",
  "Route53AutoNaming_v20170314.DiscoverInstances": "data-",
  "Route53AutoNaming_v20170314.DiscoverInstancesRevision": "data-",
};

/** The start of a path that names the host. */
export const PREFIX = "/.aws/";

/** A host of AWS that a function may call. */
export interface Host {
  readonly host: string;
  /** The part of the host before the region. */
  readonly label: string;
  /** The region; `undefined` if the host has none. */
  readonly region: string | undefined;
}

/**
 * Lists the hosts of AWS that a function may call. `*` stands for every host in the region.
 *
 * @param region The region in place of `${AWS_REGION}`.
 */
export function hostsOf({ code }: ApplicationFunction, region: string) {
  const net = code.net.map((host) => host.replaceAll("${AWS_REGION}", region));
  const hosts = net.flatMap((text): Host[] => {
    const [, host = "", label, place] =
      /^(([a-z0-9.-]+?)(?:\.([a-z]{2}(?:-[a-z]+)+-\d))?\.amazonaws\.com)(?::443)?$/.exec(text) ??
        [];
    return label === undefined ? [] : [{ host, label, region: place }];
  });
  return { hosts, isOpen: net.includes("*") || net.some((one) => /^\*\.amazonaws\.com/.test(one)) };
}

/**
 * Makes the variables with the endpoints of services whose requests do not say which host they are for. All others use the
 * variable `AWS_ENDPOINT_URL`.
 */
export function endpointsOf(settings: ApplicationFunction, url: string): Record<string, string> {
  const { hosts, isOpen } = hostsOf(settings, REGION);
  const isAll = isOpen || settings.runtime !== "deno";
  return Object.fromEntries(
    Object.entries(LABELS_BY_ID)
      .filter(([, label]) => isAll || hosts.some((host) => host.label === label))
      .map(([id, label]) => [`AWS_ENDPOINT_URL_${id}`, `${url}${PREFIX}${label}`]),
  );
}
