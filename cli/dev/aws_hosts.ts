import type { ApplicationFunction } from "../application/types.ts";
import { REGION } from "../rules/arn.ts";

/**
 * The identifiers of services whose hosts do not begin with the name in their signatures, or share that name, by the first
 * part of the host. The clients of the AWS SDKs read their endpoint from a variable with this identifier.
 */
const IDS: Readonly<Record<string, readonly string[]>> = {
  "a2i-runtime.sagemaker": ["SAGEMAKER_A2I_RUNTIME"],
  "agreement-marketplace": ["MARKETPLACE_AGREEMENT"],
  "api.fleethub.iot": ["IOTFLEETHUB"],
  "api.tunneling.iot": ["IOTSECURETUNNELING"],
  "appconfigdata": ["APPCONFIGDATA"],
  "appstream2": ["APPSTREAM"],
  "bedrock-agent": ["BEDROCK_AGENT"],
  "bedrock-agent-runtime": ["BEDROCK_AGENT_RUNTIME"],
  "bedrock-runtime": ["BEDROCK_RUNTIME"],
  "catalog.marketplace": ["MARKETPLACE_CATALOG"],
  "cloudhsmv2": ["CLOUDHSM_V2"],
  "contact-lens": ["CONNECT_CONTACT_LENS"],
  "controlplane.payment-cryptography": ["PAYMENT_CRYPTOGRAPHY"],
  "data.iotevents": ["IOT_EVENTS_DATA"],
  "data.jobs.iot": ["IOT_JOBS_DATA_PLANE"],
  "data.mediastore": ["MEDIASTORE_DATA"],
  "data.qapps": ["QAPPS"],
  "data-ats.iot": ["IOT_DATA_PLANE"],
  "dataplane.payment-cryptography": ["PAYMENT_CRYPTOGRAPHY_DATA"],
  "deployment-marketplace": ["MARKETPLACE_DEPLOYMENT"],
  "devices.iot1click": ["IOT_1CLICK_DEVICES_SERVICE"],
  "edge.sagemaker": ["SAGEMAKER_EDGE"],
  "email": ["SES", "SESV2", "PINPOINT_EMAIL"],
  "entitlement.marketplace": ["MARKETPLACE_ENTITLEMENT_SERVICE"],
  "featurestore-runtime.sagemaker": ["SAGEMAKER_FEATURESTORE_RUNTIME"],
  "forecastquery": ["FORECASTQUERY"],
  "identity-chime": ["CHIME_SDK_IDENTITY"],
  "ingest.timestream": ["TIMESTREAM_WRITE"],
  "ivsrealtime": ["IVS_REALTIME"],
  "mail-manager": ["MAILMANAGER"],
  "media-pipelines-chime": ["CHIME_SDK_MEDIA_PIPELINES"],
  "meetings-chime": ["CHIME_SDK_MEETINGS"],
  "memory-db": ["MEMORYDB"],
  "messaging-chime": ["CHIME_SDK_MESSAGING"],
  "metering.marketplace": ["MARKETPLACE_METERING"],
  "metrics.sagemaker": ["SAGEMAKER_METRICS"],
  "migrationhub-config": ["MIGRATIONHUB_CONFIG"],
  "models.lex": ["LEX_MODEL_BUILDING_SERVICE"],
  "models-v2-lex": ["LEX_MODELS_V2"],
  "oidc": ["SSO_OIDC"],
  "personalize-events": ["PERSONALIZE_EVENTS"],
  "personalize-runtime": ["PERSONALIZE_RUNTIME"],
  "pinpoint": ["PINPOINT"],
  "portal.sso": ["SSO"],
  "projects.iot1click": ["IOT_1CLICK_PROJECTS"],
  "query.timestream": ["TIMESTREAM_QUERY"],
  "runtime.lex": ["LEX_RUNTIME_SERVICE"],
  "runtime.sagemaker": ["SAGEMAKER_RUNTIME"],
  "runtime-v2-lex": ["LEX_RUNTIME_V2"],
  "secretsmanager": ["SECRETS_MANAGER"],
  "servicecatalog-appregistry": ["SERVICE_CATALOG_APPREGISTRY"],
  "session.qldb": ["QLDB_SESSION"],
  "sms-voice.pinpoint": ["PINPOINT_SMS_VOICE"],
  "voice-chime": ["CHIME_SDK_VOICE"],
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
  const labels = isOpen || settings.runtime !== "deno"
    ? Object.keys(IDS)
    : hosts.map(({ label }) => label);
  return Object.fromEntries(
    labels.flatMap((label) => Object.hasOwn(IDS, label) ? IDS[label]! : [])
      .map((id) => [
        `AWS_ENDPOINT_URL_${id}`,
        `${url}${PREFIX}${labels.find((label) => IDS[label]?.includes(id))}`,
      ]),
  );
}
