-- Prints the totals of wrk as JSON, in the last line.
function done(summary)
    local errors = summary.errors
    print(string.format(
        '{"requests": %d, "bytes": %d, "seconds": %f, "errors": '
            .. '{"connect": %d, "read": %d, "write": %d, "status": %d, "timeout": %d}}',
        summary.requests, summary.bytes, summary.duration / 1e6,
        errors.connect, errors.read, errors.write, errors.status, errors.timeout
    ))
end
