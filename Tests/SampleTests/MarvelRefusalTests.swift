import HTTP
import JSON
import Testing

@testable import Sample

@Suite("The sample Marvel's refusals")
struct MarvelRefusalTests {
    @Test(
        "a query that the service doesn't take is 409 with its words",
        arguments: [
            ("comics?limit=101", "You may not request more than 100 items."),
            ("comics?limit=0", "You must pass an integer limit greater than 0."),
            ("comics?limit=-1", "You must pass an integer limit greater than 0."),
            ("comics?limit=ten", "You must pass an integer limit greater than 0."),
            ("comics?limit=1.5", "You must pass an integer limit greater than 0."),
            ("comics?limit=99999999999999999999", "You must pass an integer limit greater than 0."),
            ("comics?limit=", "limit cannot be blank if it is set"),
            ("comics?Thor=1", "We don't recognize the parameter Thor"),
            ("comics?Limit=1", "We don't recognize the parameter Limit"),
            ("comics?name=x", "We don't recognize the parameter name"),
            ("comics?%22=x", "We don't recognize the parameter \""),
            ("comics/118003?limit=5", "We don't recognize the parameter limit"),
            ("characters?title=x", "We don't recognize the parameter title"),
            ("series?orderBy=name", "name is not a valid ordering parameter."),
            ("comics?title=", "title cannot be blank if it is set"),
            ("comics?title", "title cannot be blank if it is set"),
            ("characters?name=", "name cannot be blank if it is set"),
            ("comics?orderBy=typ", "typ is not a valid ordering parameter."),
            ("comics?orderBy=--title", "--title is not a valid ordering parameter."),
            ("comics?orderBy=-", "- is not a valid ordering parameter."),
            ("comics?orderBy=title,typ", "typ is not a valid ordering parameter."),
            ("comics?orderBy=OnsaleDate", "OnsaleDate is not a valid ordering parameter."),
            ("comics?orderBy=", "orderBy cannot be blank if it is set"),
            ("characters?comics=1,2,3,4,5,6,7,8,9,10,11", "You may not submit more than 10 issue ids."),
            ("characters?series=1,2,3,4,5,6,7,8,9,10,11", "You may not submit more than 10 series ids."),
            (
                "characters?series=1&series=2&series=3,4,5,6,7,8,9,10,11",
                "You may not submit more than 10 series ids."
            ),
            ("comics?characters=1,2,3,4,5,6,7,8,9,10,11", "You may not submit more than 10 character ids."),
            ("comics?collaborators=1,2,3,4,5,6,7,8,9,10,11", "You may not submit more than 10 creator ids."),
            ("characters?comics=x", "You must pass at least one valid issue id if you set the issue filter."),
            ("characters?series=", "You must pass at least one valid series if you set the series filter."),
            ("characters?series=a,b", "You must pass at least one valid series if you set the series filter."),
            ("comics?characters=nope", "You must pass at least one valid character if you set the character filter."),
            ("characters/1009100/comics?characters=1009100", "We don't recognize the parameter characters"),
            ("comics?series=38000&events=", "You must pass at least one valid event if you set the event filter."),
        ])
    func conflicts(path: String, text: String) throws {
        let response = askMarvel("/" + path)
        #expect(response.status.code == 409)
        #expect(response.fields[.contentType] == "application/json")
        #expect(response.text == "{\"code\":409,\"status\":\"\(escaped(text))\"}")
        #expect(response.fields["Access-Control-Allow-Origin"] == "*")
        #expect(!response.fields.contains(.etag))
    }

    @Test(
        "a value of the wrong kind is 409",
        arguments: [
            "format=cookie", "formatType=comics", "noVariants=1", "noVariants=TRUE", "hasDigitalIssue=yes",
            "dateDescriptor=yesterday", "dateDescriptor=lastweek", "dateRange=2024-01-01",
            "dateRange=2024-02-01,2024-01-01",
            "dateRange=2024-02-30,2024-03-01", "dateRange=a,b", "dateRange=2024-01-01,2024-01-02,2024-01-03",
            "startYear=MMXXIV", "issueNumber=one", "issueNumber=nan", "issueNumber=1e400", "digitalId=x",
            "modifiedSince=soon", "modifiedSince=2024-1-1", "offset=-1", "offset=x",
        ])
    func badValues(query: String) throws {
        let response = askMarvel("/comics?" + query)
        #expect(response.status.code == 409)
        #expect(try response.json().text(at: "/code") == "409")
        #expect(response.text.contains(query.prefix { $0 != "=" }))
    }

    @Test(
        "what isn't there is 404 with the service's noun",
        arguments: [
            ("comics/1", "comic_issue"), ("comics/x", "comic_issue"), ("comics/118003x", "comic_issue"),
            ("comics/-118003", "comic_issue"), ("comics/99999999999999999999", "comic_issue"),
            ("comics/%20118003", "comic_issue"), ("characters/1", "character"), ("characters/1/comics", "character"),
            ("comics/1/characters", "comic_issue"), ("creators/1", "creator"), ("series/1", "series"),
            ("series/1/comics?limit=900", "series"), ("events/1", "event"), ("stories/1", "story"),
            ("characters/comics", "character"),
        ])
    func missing(path: String, noun: String) {
        let response = askMarvel("/" + path)
        #expect(response.status == .notFound)
        #expect(response.text == "{\"code\":404,\"status\":\"We couldn't find that \(noun)\"}")
    }

    @Test("the answer to a missing comic is the recorded 57 bytes")
    func recordedLength() {
        #expect(askMarvel("/comics/1").bytes.count == 57)
    }

    @Test(
        "an unknown route is told with the whole query, key and hash among it, whether it is signed or not",
        arguments: [
            "/v1/public/heroes", "/v1/public/comics/", "/v1/public", "/v1/public/", "/v1/public//comics",
            "/v1/public/comics/118003/", "/v1/public/comics//characters", "/v1/public/comics/118003/series",
            "/v1/public/comics/118003/comics", "/v1/public/comics/118003/characters/1", "/v2/public/comics", "/",
            "/comics", "*", "", "/V1/public/comics", "/v1/public/Comics",
        ])
    func noRoute(path: String) {
        for query in ["?ts=1&apikey=KEY&hash=HASH&q=%22", ""] {
            let response = askMarvelPlainly(path + query)
            #expect(response.status == .notFound)
            #expect(response.text == "{\"code\":\"ResourceNotFound\",\"message\":\"\(path)\(query) does not exist\"}")
        }
    }

    @Test("all methods but GET are refused before the key is looked at", arguments: Method.allCases)
    func methods(method: Method) {
        let response = askMarvelPlainly("/v1/public/comics", method)
        if method == .get { return #expect(response.status.code == 409) }
        #expect(response.status == .methodNotAllowed)
        #expect(response.fields[.allow] == "GET")
        #expect(
            response.text == "{\"code\":\"MethodNotAllowed\",\"message\":\"\(method.rawValue) is not allowed\"}")
    }

    @Test("a client's own text comes back as JSON, whatever it is")
    func hostileText() throws {
        for name in ["a%22b", "%5C", "%00", "%1F%0A", "%FF", "%E2%80%A8", "<script>"] {
            let response = askMarvel("/comics?\(name)=1")
            #expect(response.status.code == 409)
            #expect(try response.json().text(at: "/code") == "409")
        }
    }
}
