// The reason phrases of the IANA registry. A run is a status and the phrases of the statuses from this one on. Interim
// responses are left out, because a function cannot send them.
const RUNS =
  "200|OK|Created|Accepted|Non-Authoritative Information|No Content|Reset Content|Partial Content|Multi-Status|Already Reported;226|IM Used;300|Multiple Choices|Moved Permanently|Found|See Other|Not Modified|Use Proxy;307|Temporary Redirect|Permanent Redirect;400|Bad Request|Unauthorized|Payment Required|Forbidden|Not Found|Method Not Allowed|Not Acceptable|Proxy Authentication Required|Request Timeout|Conflict|Gone|Length Required|Precondition Failed|Content Too Large|URI Too Long|Unsupported Media Type|Range Not Satisfiable|Expectation Failed;421|Misdirected Request|Unprocessable Content|Locked|Failed Dependency|Too Early|Upgrade Required;428|Precondition Required|Too Many Requests;431|Request Header Fields Too Large;451|Unavailable For Legal Reasons;500|Internal Server Error|Not Implemented|Bad Gateway|Service Unavailable|Gateway Timeout|HTTP Version Not Supported|Variant Also Negotiates|Insufficient Storage|Loop Detected;510|Not Extended|Network Authentication Required";

/** The reason phrase of a status in the IANA registry; empty if the registry has none. */
export function statusText(status: number): string {
  for (const run of RUNS.split(";")) {
    const [first, ...phrases] = run.split("|");
    const phrase = phrases[status - Number(first)];
    if (phrase !== undefined) return phrase;
  }
  return "";
}
